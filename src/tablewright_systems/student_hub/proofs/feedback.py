"""Proofs about feedback."""

from datetime import timedelta

from tablewright_systems.identities import Caller
from tablewright_systems.proofs import Proofs, Stage
from tablewright_systems.student_hub.design import Feedback, FeedbackById
from tablewright_systems.student_hub.proofs.arranging import admin
from tablewright_systems.student_hub.service.feedback import (
    FeedbackDraft,
    feedback_between,
    feedback_of_user,
    milliseconds,
    read_feedback,
    submit_feedback,
)

PROOFS = Proofs("student_hub")


def say(stage: Stage, message: str, caller: Caller | None = None) -> Feedback:
    """Somebody says something."""
    return submit_feedback(stage.db, caller, FeedbackDraft(message=message), stage.fresh("address"))


@PROOFS("A7", "002:394")
def submit_public_feedback(stage: Stage) -> None:
    """Submit feedback."""
    with stage.measured():
        said = say(stage, "Great app!")
    assert said.timestamp == milliseconds(said.created_at) == milliseconds(stage.db.now())
    assert stage.db.run(FeedbackById(feedback_id=said.feedback_id, timestamp=said.timestamp)) == said


@PROOFS("A13", "002:647")
def feedback_of_one_user(stage: Stage) -> None:
    """All feedback of one user, the newest first."""
    ada = stage.caller()
    said: list[Feedback] = []
    for message in ("Great app!", "Still great."):
        said.insert(0, say(stage, message, ada))
        stage.clock.advance(1)
    say(stage, "I am somebody else.", stage.caller())
    with stage.measured():
        stage.eventually(lambda: list(feedback_of_user(stage.db, admin(stage), ada.user_id)) == said)


@PROOFS("A14", "002:257")
def feedback_by_date_range(stage: Stage) -> None:
    """Feedback from one moment to another, across months, page by page."""
    stage.clock.advance(timedelta(days=1))
    start = stage.db.now()
    said: list[Feedback] = []
    for place in range(4):
        said.insert(0, say(stage, f"message {place}"))
        stage.clock.advance(timedelta(days=16))
    until = said[0].created_at
    say(stage, "too late")

    def pages() -> list[Feedback]:
        found: list[Feedback] = []
        cursor = None
        while True:
            page = feedback_between(stage.db, admin(stage), start, until, limit=3, cursor=cursor)
            found += page
            cursor = page.cursor
            if cursor is None:
                return found

    with stage.measured():
        stage.eventually(lambda: pages() == said)


@PROOFS("A23", "002:237")
def get_one_feedback(stage: Stage) -> None:
    """Get one feedback; it takes both parts of its key."""
    said = say(stage, "Great app!")
    with stage.measured():
        found = read_feedback(stage.db, admin(stage), said.feedback_id, said.timestamp)
    assert found == said


@PROOFS("F2", "002:231")
def guest_feedback(stage: Stage) -> None:
    """Guests give feedback without signing in; two of one moment stay two, and users keep their name."""
    ada = stage.caller()
    with stage.measured():
        guests = [say(stage, "Great app!"), say(stage, "Great app!")]
    assert all(guest.user_id.startswith(f"guest-{guest.timestamp}") for guest in guests)
    assert guests[0].user_id != guests[1].user_id
    assert say(stage, "Hello", ada).user_id == ada.user_id
