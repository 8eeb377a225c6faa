"""E-mails of notifications: to the address of the user or of the invitation, once, and again after a failure."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from email.message import EmailMessage
from typing import Any

import pytest

from tablewright import Clock, Repository
from tablewright_systems.listbackup.design.notifications import Channel, Notification, NotificationStatus
from tablewright_systems.listbackup.jobs import JOBS
from tablewright_systems.listbackup.proofs.fixtures import send_notification
from tablewright_systems.listbackup.service.notifications import delivery, inbox, mail
from tablewright_systems.listbackup.service.users import invitations
from tablewright_systems.service import Caller, JobRun


class Post:
    """A mail server that keeps what it is sent, or refuses it."""

    def __init__(self) -> None:
        self.sent: list[EmailMessage] = []
        self.is_down = False

    @contextmanager
    def connect(self, host: str, port: int, timeout: float) -> Iterator[Any]:
        if self.is_down:
            raise OSError(f"{host}:{port} is down")
        yield self

    def send_message(self, message: EmailMessage) -> None:
        self.sent.append(message)


@pytest.fixture
def post(monkeypatch: pytest.MonkeyPatch) -> Post:
    server = Post()
    monkeypatch.setattr(mail, "SMTP", server.connect)
    monkeypatch.setenv(mail.SERVER, "mail.example.org:2525")
    monkeypatch.setenv(mail.SENDER, "backups@example.org")
    return server


def run_job(db: Repository) -> None:
    next(job for job in JOBS if job.name == "mail").run(JobRun(db))


def emails(db: Repository, caller: Caller) -> list[Notification]:
    return [each for each in db.all(inbox.inbox(db, caller)) if each.type is Channel.EMAIL]


def test_a_notification_is_mailed_once_to_the_address_of_the_user(
    db: Repository, caller: Caller, account_id: str, post: Post
) -> None:
    send_notification(
        db, caller.user_id, account_id, subject="Backups\r\nBcc: eve@example.org", message="Done."
    )
    run_job(db)
    run_job(db)
    (message,) = [each for each in post.sent if each["Subject"].startswith("Backups")]
    assert (message["To"], message["From"]) == (str(caller.claim("email")), "backups@example.org")
    assert message["Subject"] == "Backups Bcc: eve@example.org"
    assert message.get_content().strip() == "Done."
    (stored,) = [each for each in emails(db, caller) if each.message == "Done."]
    assert stored.status is NotificationStatus.SENT
    assert stored.notification_id in message["Message-ID"]


def test_an_invited_person_gets_a_mail(db: Repository, caller: Caller, account_id: str, post: Post) -> None:
    invitations.invite(db, caller, account_id, "Eve@Example.org")
    run_job(db)
    assert "eve@example.org" in [str(each["To"]).lower() for each in post.sent]


def test_a_mail_is_sent_again_when_the_server_is_back(
    db: Repository, clock: Clock, caller: Caller, account_id: str, post: Post
) -> None:
    send_notification(db, caller.user_id, account_id, message="Done.")
    post.is_down = True
    run_job(db)
    assert all("mail.example.org:2525 is down" in str(each.failure_reason) for each in emails(db, caller))
    post.is_down = False
    clock.advance(timedelta(minutes=5))
    run_job(db)
    assert {each.status for each in emails(db, caller)} == {NotificationStatus.SENT}


def test_other_channels_are_left_to_their_workers(
    db: Repository, caller: Caller, account_id: str, post: Post
) -> None:
    send_notification(db, caller.user_id, account_id, channels=(Channel.SMS,), message="By SMS.")
    run_job(db)
    worker = Caller("sms", {"roles": ["worker"]})
    assert [each.message for each in delivery.claim(db, worker)] == ["By SMS."]


def test_without_a_mail_server_mails_wait_for_a_worker(
    db: Repository, caller: Caller, account_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(mail.SERVER, raising=False)
    send_notification(db, caller.user_id, account_id, message="Done.")
    run_job(db)
    (waiting,) = [each for each in emails(db, caller) if each.message == "Done."]
    assert (waiting.status, waiting.attempts) == (NotificationStatus.PENDING, 0)


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [(mail.SENDER, "", "to the address"), (mail.SERVER, "mail.example.org:smtp", "to host:port")],
)
def test_a_wrong_configuration_is_an_error_that_costs_no_attempt(
    db: Repository,
    caller: Caller,
    account_id: str,
    post: Post,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    message: str,
) -> None:
    send_notification(db, caller.user_id, account_id)
    monkeypatch.setenv(variable, value)
    with pytest.raises(ValueError, match=f"set {variable} {message}"):
        run_job(db)
    assert {each.attempts for each in emails(db, caller)} == {0}
