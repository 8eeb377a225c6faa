"""Proofs about feedback."""

from datetime import UTC, datetime, timedelta

import pydantic

from tablewright_systems.service import Caller, Forbidden, Invalid, TooManyRequests
from tablewright_systems.student_hub.design import Feedback, FeedbackById
from tablewright_systems.student_hub.proofs import document_rows
from tablewright_systems.student_hub.proofs.fixtures import admin, all_pages
from tablewright_systems.student_hub.service.adoption import adopt_feedback
from tablewright_systems.student_hub.service.feedback import (
    LIMIT,
    FeedbackDraft,
    feedback_between,
    feedback_of_user,
    milliseconds,
    read_feedback,
    submit_feedback,
)
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("student_hub")


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
    found = feedback_between(context.db, admin(context), day, day + timedelta(days=1))
    return [each.feedback_id for each in found]


@PROOFS("A23")
def get_one_feedback(context: ProofContext) -> None:
    """Get one feedback entry by both parts of its key."""
    submitted = say(context, "Great app!")
    with context.measured():
        found = read_feedback(context.db, admin(context), submitted.feedback_id, submitted.timestamp)
    assert found == submitted
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
