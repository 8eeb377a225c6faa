"""Background jobs of Student Hub, run by the shared job runner."""

import logging
from datetime import UTC, datetime

import pytest
from tablewright_systems.service import JobRunner
from tablewright_systems.student_hub.jobs import JOBS
from tablewright_systems.student_hub.proofs import document_rows
from tablewright_systems.student_hub.service.feedback import feedback_between

from systems.tests.student_hub.fixtures import ADMIN, note_deadline
from tablewright import Clock, Repository


def test_jobs_remind_and_adopt(
    db: Repository, clock: Clock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STUDENT_HUB_SMTP", raising=False)
    note_deadline(db, title="Rent")
    document_rows.put(db, document_rows.DEADLINE, dueDate="2024-02-19")
    document_rows.put(db, document_rows.FEEDBACK)
    runner = JobRunner(db.connection, {"student_hub": (db, JOBS)}, clock=clock)
    with caplog.at_level(logging.INFO):
        assert runner.run_due() == ["student_hub.reminders", "student_hub.feedback-by-date"]
        clock.advance(16 * 60)
        assert runner.run_due() == ["student_hub.reminders"]
    sent = [message.partition("; ")[2] for message in caplog.messages if "reminder for" in message]
    assert sorted(sent) == [
        "reminder for abc-123-def-456: Visa Appointment, due on 2024-02-19",
        "reminder for ada: Rent, due on 2024-02-19",
    ]
    found = feedback_between(db, ADMIN, datetime(2024, 2, 18, tzinfo=UTC), datetime(2024, 2, 19, tzinfo=UTC))
    assert [each.feedback_id for each in found] == [document_rows.FEEDBACK.attributes["feedbackId"]]
