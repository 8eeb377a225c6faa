"""Background jobs of Student Hub, run by the shared job runner."""

import logging
from datetime import UTC, date, datetime

import boto3
import pytest
from botocore.stub import Stubber
from tablewright_systems.service import JobRunner
from tablewright_systems.student_hub.jobs import JOBS, UserPool, mail_service
from tablewright_systems.student_hub.proofs import document_rows
from tablewright_systems.student_hub.service.feedback import feedback_between
from tablewright_systems.student_hub.service.reminders import Reminder

from systems.tests.smtp_inbox import inbox
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
    result = feedback_between(db, ADMIN, datetime(2024, 2, 18, tzinfo=UTC), datetime(2024, 2, 19, tzinfo=UTC))
    assert [item.feedback_id for item in result] == [document_rows.FEEDBACK.attributes["feedbackId"]]


REMINDER = Reminder(
    user_id="ada",
    deadline_id="d1",
    claim="c",
    title="Visa",
    due_date=date(2024, 3, 15),
    note="Bring passport",
)


def test_a_reminder_is_sent_with_its_key_as_message_id(monkeypatch: pytest.MonkeyPatch) -> None:
    with inbox() as received:
        monkeypatch.setenv("STUDENT_HUB_SMTP", received.place)
        monkeypatch.setenv("STUDENT_HUB_MAIL_FROM", "hub@example.org")
        monkeypatch.setenv("STUDENT_HUB_USER_POOL", "pool")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-north-1")
        _, send = mail_service()
        send("ada@example.org", REMINDER)
    assert "To: ada@example.org" in received.lines
    assert "Subject: Visa: due on 15 March 2024" in received.lines
    assert "Message-ID: <d1%3A2024-03-15@example.org>" in received.lines
    assert "Bring passport" in received.lines


def pool(attributes: dict[str, str] | None) -> UserPool:
    client = boto3.client(
        "cognito-idp", region_name="eu-north-1", aws_access_key_id="x", aws_secret_access_key="x"
    )
    stub = Stubber(client)
    if attributes is None:
        stub.add_client_error("admin_get_user", "UserNotFoundException")
    else:
        listed = [{"Name": name, "Value": value} for name, value in attributes.items()]
        reply = {"Username": "ada", "UserAttributes": listed}
        stub.add_response("admin_get_user", reply, {"UserPoolId": "pool", "Username": "ada"})
    stub.activate()
    return UserPool(client, "pool")


@pytest.mark.parametrize(
    ("attributes", "address"),
    [
        ({"email": "ada@example.org", "email_verified": "true"}, "ada@example.org"),
        ({"email": "ada@example.org", "email_verified": "false"}, None),
        ({"email": "ada@example.org"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_only_verified_addresses_are_used(attributes: dict[str, str] | None, address: str | None) -> None:
    assert pool(attributes).address("ada") == address


def test_without_a_mail_server_reminders_are_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("STUDENT_HUB_SMTP", raising=False)
    find_address, send = mail_service()
    address = find_address("ada")
    assert address is not None
    with caplog.at_level(logging.WARNING):  # what `up` shows
        send(address, REMINDER)
    assert "reminder for ada: Visa, due on 2024-03-15" in caplog.text


def test_a_mail_server_requires_the_other_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDENT_HUB_SMTP", "localhost:25")
    for name in ("STUDENT_HUB_MAIL_FROM", "STUDENT_HUB_USER_POOL"):
        monkeypatch.delenv(name, raising=False)
        with pytest.raises(ValueError, match=f"set {name}"):
            mail_service()
        monkeypatch.setenv(name, "x@example.org")
