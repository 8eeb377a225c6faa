"""Proofs of the administration of users."""

from datetime import date
from functools import partial

from tablewright import errors, writes
from tablewright_systems.service import Forbidden, NotFound, transact
from tablewright_systems.student_hub.design import (
    DeadlineOf,
    DeadlinesOf,
    FeedbackOfUser,
    ProfileOf,
    ProgressOf,
    design,
    profiles,
)
from tablewright_systems.student_hub.proofs.feedback import say
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
from tablewright_systems.student_hub.service.dashboard import read_dashboard
from tablewright_systems.student_hub.service.deadlines import (
    DeadlineChanges,
    change_deadline,
    delete_deadline,
)
from tablewright_systems.student_hub.service.feedback import feedback_of_user
from tablewright_systems.student_hub.service.profiles import read_profile
from tablewright_systems.student_hub.service.progress import complete_step, read_progress
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("student_hub")


@PROOFS("A15")
def view_all_users(context: ProofContext) -> None:
    """View all users, page by page, for administrators."""
    mine = {student(context).user_id for _ in range(3)}
    with context.measured():
        found = all_pages(lambda paging: list_users(context.db, admin(context), paging))
    assert mine <= {user.user_id for user in found}
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
