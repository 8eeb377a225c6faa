"""Rows as the document prints them and as other programs wrote them: read, found, reminded of, repaired, erased."""

from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Invalid
from tablewright_systems.student_hub.api import build
from tablewright_systems.student_hub.proofs import document_rows
from tablewright_systems.student_hub.service import (
    administration,
    adoption,
    deadlines,
    feedback,
    profiles,
    progress,
    reminders,
)
from tablewright_systems.web import LocalIssuer

from systems.tests.student_hub.fixtures import ADMIN, WORKER, Mailbox, items_of, stored
from tablewright import Clock, Repository, errors

JOHN = Caller("abc-123-def-456")
PROFILES = "leavs-main-user-profiles"


@pytest.fixture(autouse=True)
def rows(db: Repository) -> None:
    for row in document_rows.ROWS:
        document_rows.put(db, row)


def put(db: Repository, row: document_rows.Row, **changes: Any) -> None:
    document_rows.put(db, row, **changes)


def test_rows_are_read_as_printed(db: Repository) -> None:
    seen = profiles.read_dashboard(db, JOHN)
    assert seen.profile is not None
    assert (seen.profile.first_name, seen.profile.university_name) == ("John", "Bocconi University")
    assert [(step.step_key, step.completed) for step in seen.progress] == [("visa", True)]
    assert [due.title for due in seen.deadlines] == ["Visa Appointment"]
    assert seen.profile.updated_at == datetime(2024, 2, 18, 10, tzinfo=UTC)


def test_rows_are_changed_and_erased_as_printed(db: Repository) -> None:
    assert profiles.update_profile(db, JOHN, profiles.ProfileChanges(first_name="Jon")).last_name == "Doe"
    assert progress.reopen_step(db, JOHN, "visa").completed_at is None
    (due,) = deadlines.read_deadlines(db, JOHN)
    deadlines.change_deadline(db, JOHN, due.deadline_id, deadlines.DeadlineChanges(title="Moved"))
    erased = administration.erase_user(db, JOHN, JOHN.user_id)
    assert (erased.profiles, erased.steps, erased.deadlines) == (1, 1, 1)
    assert items_of(db, PROFILES) == items_of(db, "leavs-main-deadlines") == []


def test_a_printed_deadline_is_reminded_of_after_adoption(db: Repository, clock: Clock) -> None:
    clock.advance(datetime(2024, 3, 14, 12, tzinfo=UTC) - db.now())
    mailbox = Mailbox()
    reminders.send_reminders(db, WORKER, mailbox.address, mailbox.send)
    assert mailbox.letters == []
    assert adoption.adopt_deadlines(db) == 1
    assert adoption.adopt_deadlines(db) == 0
    reminders.send_reminders(db, WORKER, mailbox.address, mailbox.send)
    assert mailbox.letters == [("abc-123-def-456@example.org", "Visa Appointment")]
    assert adoption.adopt_deadlines(db) == 0
    reminders.send_reminders(db, WORKER, mailbox.address, mailbox.send)
    assert len(mailbox.letters) == 1


def test_adoption_leaves_quiet_and_distant_deadlines(db: Repository) -> None:
    put(db, document_rows.DEADLINE, dueDate="2024-02-19", sendReminder=False)
    assert adoption.adopt_deadlines(db) == 0
    assert "reminderDate" not in str(items_of(db, "leavs-main-deadlines"))


def test_printed_feedback_is_found_by_date_after_adoption(db: Repository) -> None:
    start, end = datetime(2024, 2, 1, tzinfo=UTC), datetime(2024, 2, 28, tzinfo=UTC)
    assert len(feedback.feedback_of_user(db, ADMIN, "guest-1708268400000")) == 1
    assert len(feedback.feedback_between(db, ADMIN, start, end)) == 0
    before = items_of(db, "leavs-main-feedback")
    assert (adoption.adopt_feedback(db), adoption.adopt_feedback(db)) == (1, 0)
    (item,) = feedback.feedback_between(db, ADMIN, start, end)
    assert item.message == "Great app!"
    (after,) = items_of(db, "leavs-main-feedback")
    assert {name: after[name] for name in ("feedbackId", "timestamp", "userId", "message")} == {
        name: before[0][name] for name in ("feedbackId", "timestamp", "userId", "message")
    }


FOREIGN = {
    "studyLevel": "diploma",
    "admissionStatus": "waiting",
    "dateOfBirth": "1 May 2001",
    "flightsBooked": "maybe",
    "rentCost": "600 EUR",
    "firstName": 7,
    "budgetCurrency": "euro",
    "packingNotes": "x" * 1_001,
}


@pytest.mark.parametrize("name", FOREIGN)
def test_values_of_other_programs_are_shown_and_repaired(db: Repository, name: str) -> None:
    put(db, document_rows.PROFILE, **{name: FOREIGN[name]})
    seen = profiles.read_dashboard(db, JOHN).profile
    assert seen is not None
    assert seen.model_dump(mode="json", by_alias=True)[name] == FOREIGN[name]
    profiles.update_profile(db, JOHN, profiles.ProfileChanges(last_name="Roe"))
    repaired = profiles.update_profile(db, JOHN, profiles.ProfileChanges.model_validate({name: None}))
    assert (repaired.model_dump(by_alias=True)[name], repaired.last_name) == (None, "Roe")
    assert name not in (stored(db, PROFILES, userId=JOHN.user_id) or {})


def test_values_of_other_programs_are_not_accepted_from_clients() -> None:
    for name, value in FOREIGN.items():
        with pytest.raises(ValueError, match=name):
            profiles.ProfileChanges.model_validate({name: value})


def test_a_deadline_without_a_date_is_left_out_and_repaired(db: Repository) -> None:
    put(db, document_rows.DEADLINE, dueDate="soon")
    deadline_id = "d47e9a12-3f56-4b8c-9d2e-1a2b3c4d5e6f"
    assert profiles.read_dashboard(db, JOHN).deadlines == deadlines.read_deadlines(db, JOHN) == []
    with pytest.raises(Invalid, match="the stored date of this deadline is invalid") as caught:
        deadlines.change_deadline(db, JOHN, deadline_id, deadlines.DeadlineChanges(title="Visa"))
    assert caught.value.field == "dueDate"
    changes = deadlines.DeadlineChanges.model_validate({"dueDate": "2024-03-16"})
    repaired = deadlines.change_deadline(db, JOHN, deadline_id, changes)
    assert deadlines.read_deadlines(db, JOHN) == [repaired]


def test_a_step_that_cannot_be_read_is_left_out_and_repaired(db: Repository) -> None:
    key = document_rows.PROGRESS.attributes["stepKey"]
    for repair in (progress.start_step, progress.complete_step):
        put(db, document_rows.PROGRESS, completed="maybe")
        assert profiles.read_dashboard(db, JOHN).progress == progress.read_progress(db, JOHN) == []
        repaired = repair(db, JOHN, key)
        assert progress.read_progress(db, JOHN) == [repaired]
        assert repaired.completed == (repair is progress.complete_step)


def test_what_cannot_be_read_can_be_erased(db: Repository) -> None:
    put(db, document_rows.DEADLINE, dueDate="soon")
    put(db, document_rows.PROFILE, firstName=["J", "D"])
    put(db, document_rows.PROGRESS, stepKey="Visa!", completed="yes")
    with pytest.raises(errors.UnknownItem):
        profiles.read_dashboard(db, JOHN)
    erased = administration.erase_user(db, JOHN, JOHN.user_id)
    assert (erased.profiles, erased.steps, erased.deadlines) == (1, 2, 1)
    for table in (PROFILES, "leavs-main-user-progress", "leavs-main-deadlines"):
        assert items_of(db, table) == []


def test_a_profile_of_another_program_over_http(db: Repository) -> None:
    issuer = LocalIssuer()
    put(db, document_rows.PROFILE, studyLevel="diploma")
    with TestClient(build(db, issuer)) as client:
        client.headers["authorization"] = f"Bearer {issuer.issue(JOHN.user_id)}"
        assert client.get("/profile").json()["studyLevel"] == "diploma"
        assert client.get("/dashboard").json()["profile"]["studyLevel"] == "diploma"
        assert client.patch("/profile", json={"studyLevel": "diploma"}).status_code == 422
        assert client.patch("/profile", json={"firstName": "Jon"}).json()["studyLevel"] == "diploma"
        assert client.patch("/profile", json={"studyLevel": "master"}).json()["studyLevel"] == "master"
        assert client.get("/profile").json()["studyLevel"] == "master"
