"""Proofs of the administration of users."""

from datetime import UTC, date, datetime, timedelta
from functools import partial

import pydantic

from tablewright import errors, writes
from tablewright_systems.service import Caller, Forbidden, Invalid, NotFound, TooManyRequests, transact
from tablewright_systems.student_hub.design import (
    DeadlineOf,
    DeadlinesOf,
    Feedback,
    FeedbackById,
    FeedbackOfUser,
    ProfileOf,
    ProgressOf,
    design,
    profiles,
)
from tablewright_systems.student_hub.proofs import document_rows
from tablewright_systems.student_hub.proofs.fixtures import (
    admin,
    all_pages,
    deadline,
    everything_in,
    named,
    own_tables,
    pages_of,
    save,
    student,
)
from tablewright_systems.student_hub.service.administration import count_users, erase_user, list_users
from tablewright_systems.student_hub.service.adoption import adopt_feedback
from tablewright_systems.student_hub.service.deadlines import (
    DeadlineChanges,
    change_deadline,
    delete_deadline,
)
from tablewright_systems.student_hub.service.feedback import (
    LIMIT,
    FeedbackDraft,
    feedback_between,
    feedback_of_user,
    milliseconds,
    read_feedback,
    submit_feedback,
)
from tablewright_systems.student_hub.service.profiles import read_dashboard, read_profile
from tablewright_systems.student_hub.service.progress import complete_step, read_progress
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("student_hub")


@PROOFS("A15")
def view_all_users(context: ProofContext) -> None:
    """View all users, page by page, for administrators."""
    mine = {student(context).user_id for _ in range(3)}
    with context.measured():
        users = all_pages(lambda paging: list_users(context.db, admin(context), paging))
    assert mine <= {user.user_id for user in users}
    expect_error(Forbidden, lambda: list_users(context.db, context.caller()))


@PROOFS("A17")
def count_items(context: ProofContext) -> None:
    """Count items by a scan that returns none."""
    save(context.db, context.caller(), firstName="Ada")
    with context.measured():
        pages = list(pages_of(context, named(context, profiles), Select="COUNT"))
    assert all("Items" not in page for page in pages)
    assert sum(page["Count"] for page in pages) == count_users(context.db, admin(context)) >= 1
    expect_error(Forbidden, lambda: count_users(context.db, context.caller()))


@PROOFS("A18")
def look_at_tables(context: ProofContext) -> None:
    """List and describe tables, get an item, scan, as the AWS CLI does."""
    saved = save(context.db, context.caller("abc-123"), firstName="Ada")
    name, call = named(context, profiles), context.db.connection.call
    names: list[str] = []
    request: dict[str, str] = {}
    with context.measured():
        while True:
            reply = call("ListTables", request)
            names += reply["TableNames"]
            if "LastEvaluatedTableName" not in reply:
                break
            request = {"ExclusiveStartTableName": reply["LastEvaluatedTableName"]}
        described = call("DescribeTable", {"TableName": name})["Table"]
        got = call(
            "GetItem", {"TableName": name, "Key": {"userId": {"S": "abc-123"}}, "ConsistentRead": True}
        )
        scanned = everything_in(context, name)
    assert {named(context, table) for table in design.tables} <= set(names)
    assert described["KeySchema"] == [{"AttributeName": "userId", "KeyType": "HASH"}]
    assert got["Item"]["firstName"] == {"S": saved.first_name}
    assert got["Item"] in scanned


@PROOFS("A25")
def delete_all_data_of_a_user(context: ProofContext) -> None:
    """Delete all data of a user, in all tables."""
    ada, bob = student(context), student(context)
    with context.measured():
        erased = erase_user(context.db, ada, ada.user_id)
    assert (erased.profiles, erased.steps, erased.deadlines) == (1, 6, 2)
    expect_error(Forbidden, lambda: erase_user(context.db, ada, bob.user_id))
    assert read_dashboard(context.db, bob).profile is not None


@PROOFS("F4")
def environments(context: ProofContext) -> None:
    """Every environment has its own tables, by name; an environment without tables is an error."""
    ada = context.caller()
    save(context.db, ada, firstName="Ada")
    with own_tables(context) as other:
        with context.measured():
            assert other.run(ProfileOf(user_id=ada.user_id)) is None
            assert context.db.run(ProfileOf(user_id=ada.user_id)) is not None
        environment = other.context.environment
        names = {other.context.table_name(table) for table in design.tables}
        for kept in ("user-profiles", "user-progress", "deadlines", "feedback"):
            assert f"{context.db.context.prefix}leavs-{environment}-{kept}" in names
    expect_error(errors.TablewrightError, lambda: other.run(ProfileOf(user_id=ada.user_id)))


@PROOFS("F15")
def no_scan_in_the_application(context: ProofContext) -> None:
    """No action of a student scans a table."""
    with context.measured() as measure:
        ada = student(context)
        complete_step(context.db, ada, "housing")
        made = deadline(context, ada, date(2031, 3, 15))
        change_deadline(context.db, ada, made.deadline_id, DeadlineChanges(title="Visa"))
        delete_deadline(context.db, ada, made.deadline_id)
        say(context, "Great app!", ada)
        feedback_of_user(context.db, ada, ada.user_id)
        read_dashboard(context.db, ada)
        erase_user(context.db, ada, ada.user_id)
    assert len(measure.operations) > 20
    assert "Scan" not in measure.operations
    for scan in (list_users, count_users):
        expect_error(Forbidden, partial(scan, context.db, ada))


@PROOFS("F21")
def forget_a_user(context: ProofContext) -> None:
    """Delete a user in one transaction over four tables; other users are unchanged."""
    ada, bob = student(context), student(context)
    for caller in (ada, bob):
        say(context, "Great app!", caller)
    context.eventually(lambda: feedback_of_user(context.db, ada, ada.user_id).items)
    expect_error(Forbidden, lambda: erase_user(context.db, bob, ada.user_id))
    assert read_dashboard(context.db, ada).profile is not None
    with context.measured() as measure:
        erased = erase_user(context.db, admin(context), ada.user_id)
    assert measure.operations.count("TransactWriteItems") == 1
    assert erased.feedback == 1
    assert context.db.run(ProfileOf(user_id=ada.user_id)) is None
    assert not context.db.all(ProgressOf(user_id=ada.user_id))
    assert not context.db.all(DeadlinesOf(user_id=ada.user_id))
    context.eventually(lambda: not context.db.all(FeedbackOfUser(user_id=ada.user_id)))
    kept = read_dashboard(context.db, bob)
    assert kept.profile is not None
    assert (len(kept.progress), len(kept.deadlines)) == (6, 2)


@PROOFS("F22")
def many_tables_and_one_transaction(context: ProofContext) -> None:
    """Each entity has its own table, and one transaction writes to several."""
    ada = student(context)
    profile = read_profile(context.db, ada, just_written=True)
    (step, *_) = read_progress(context.db, ada)
    missing = DeadlineOf(user_id=ada.user_id, deadline_id=context.unique_id("none"))
    three = (
        writes.Delete(profile),
        writes.Delete(step),
        writes.Check(missing, otherwise=NotFound("deadline")),
    )
    expect_error(NotFound, lambda: transact(context.db, *three))
    assert read_profile(context.db, ada, just_written=True) == profile
    assert step in read_progress(context.db, ada)
    with context.measured() as measure:
        erase_user(context.db, ada, ada.user_id)
    assert [len(design.entities_of(table)) for table in design.tables] == [1] * len(design.tables)
    assert measure.operations[-1] == "TransactWriteItems"


def say(context: ProofContext, message: str, caller: Caller | None = None) -> Feedback:
    """Submit feedback."""
    draft = FeedbackDraft.model_validate(FeedbackDraft.prepared({"message": message}))
    return submit_feedback(context.db, caller, draft, context.unique_id("address"))


@PROOFS("A7")
def submit_public_feedback(context: ProofContext) -> None:
    """Submit feedback."""
    with context.measured():
        submitted = say(context, "Great app!")
    assert submitted.timestamp == milliseconds(submitted.created_at) == milliseconds(context.db.now())
    expect_error(pydantic.ValidationError, lambda: say(context, "  "))
    assert (
        context.db.run(FeedbackById(feedback_id=submitted.feedback_id, timestamp=submitted.timestamp))
        == submitted
    )


@PROOFS("A13")
def feedback_of_one_user(context: ProofContext) -> None:
    """List all feedback of one user, newest first."""
    ada = context.caller()
    submitted: list[Feedback] = []
    for message in ("Great app!", "Still great."):
        submitted.insert(0, say(context, message, ada))
        context.clock.advance(1)
    say(context, "From another user.", context.caller())
    with context.measured():
        context.eventually(
            lambda: list(feedback_of_user(context.db, admin(context), ada.user_id)) == submitted
        )
    expect_error(Forbidden, lambda: feedback_of_user(context.db, context.caller(), ada.user_id))


@PROOFS("A14")
def feedback_by_date_range(context: ProofContext) -> None:
    """List the feedback of a time range, across months, page by page, also the document's own row."""
    document_rows.put(context.db, document_rows.FEEDBACK)
    adopt_feedback(context.db)
    context.eventually(lambda: printed_feedback(context) == [document_rows.FEEDBACK.attributes["feedbackId"]])
    context.clock.advance(timedelta(days=1))
    start = context.db.now()
    submitted: list[Feedback] = []
    for place in range(4):
        submitted.insert(0, say(context, f"message {place}"))
        context.clock.advance(timedelta(days=16))
    until = submitted[0].created_at
    say(context, "too late")

    def pages() -> list[Feedback]:
        return all_pages(
            lambda paging: feedback_between(context.db, admin(context), start, until, paging), limit=3
        )

    with context.measured():
        context.eventually(lambda: pages() == submitted)
    expect_error(Forbidden, lambda: feedback_between(context.db, context.caller(), start, until))
    expect_error(Invalid, lambda: feedback_between(context.db, admin(context), until, start), "end")


def printed_feedback(context: ProofContext) -> list[str]:
    """Return the IDs of the feedback of the day that the document prints."""
    day = datetime(2024, 2, 18, tzinfo=UTC)
    listed = feedback_between(context.db, admin(context), day, day + timedelta(days=1))
    return [entry.feedback_id for entry in listed]


@PROOFS("A23")
def get_one_feedback(context: ProofContext) -> None:
    """Get one feedback entry by both parts of its key."""
    submitted = say(context, "Great app!")
    with context.measured():
        stored = read_feedback(context.db, admin(context), submitted.feedback_id, submitted.timestamp)
    assert stored == submitted
    key = submitted.feedback_id, submitted.timestamp
    expect_error(Forbidden, lambda: read_feedback(context.db, context.caller(), *key))


@PROOFS("F2")
def guest_feedback(context: ProofContext) -> None:
    """Guests send feedback without signing in; two of the same time stay separate."""
    ada = context.caller()
    with context.measured():
        guests = [say(context, "Great app!"), say(context, "Great app!")]
    assert all(guest.user_id.startswith(f"guest-{guest.timestamp}") for guest in guests)
    assert guests[0].user_id != guests[1].user_id
    assert say(context, "Hello", ada).user_id == ada.user_id
    for _ in range(LIMIT.most - 1):
        say(context, "Hello", ada)
    expect_error(TooManyRequests, lambda: say(context, "Hello", ada))
    assert say(context, "Hello", context.caller()), "the limit of one user does not affect another"
    context.clock.advance(timedelta(hours=1))
    assert say(context, "Hello", ada).user_id == ada.user_id
