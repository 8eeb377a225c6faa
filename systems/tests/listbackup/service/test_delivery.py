"""E-mails of notifications: to the address of the user or of the invitation, once, and again after a failure."""

import socket
from collections.abc import Iterator
from datetime import timedelta
from email import message_from_string, policy
from email.message import EmailMessage

import pytest
from tablewright_systems.listbackup.design.notifications import Channel, Notification, NotificationStatus
from tablewright_systems.listbackup.jobs import JOBS
from tablewright_systems.listbackup.proofs.fixtures import send_notification
from tablewright_systems.listbackup.service import delivery, invitations, notifications
from tablewright_systems.service import Caller, JobRun

from systems.tests.smtp_inbox import Inbox, inbox
from tablewright import Clock, Repository


class Post:
    """A mail server, and the mails that it has received."""

    def __init__(self, server: Inbox) -> None:
        self._server = server

    @property
    def sent(self) -> list[EmailMessage]:
        sessions = "\n".join(self._server.lines).split("\ndata\n")[1:]
        return [
            message_from_string(session.partition("\nQUIT")[0], policy=policy.default) for session in sessions
        ]


@pytest.fixture
def post(monkeypatch: pytest.MonkeyPatch) -> Iterator[Post]:
    with inbox() as server:
        monkeypatch.setenv(delivery.SERVER, server.place)
        monkeypatch.setenv(delivery.SENDER, "backups@example.org")
        yield Post(server)


def run_job(db: Repository) -> None:
    next(job for job in JOBS if job.name == "mail").run(JobRun(db))


def emails(db: Repository, caller: Caller) -> list[Notification]:
    return [item for item in db.all(notifications.inbox(db, caller)) if item.type is Channel.EMAIL]


def test_a_notification_is_mailed_once_to_the_address_of_the_user(
    db: Repository, caller: Caller, account_id: str, post: Post
) -> None:
    send_notification(
        db, caller.user_id, account_id, subject="Backups\r\nBcc: eve@example.org", message="Done."
    )
    run_job(db)
    run_job(db)
    (message,) = [item for item in post.sent if item["Subject"].startswith("Backups")]
    assert (message["To"], message["From"]) == (str(caller.claim("email")), "backups@example.org")
    assert message["Subject"] == "Backups Bcc: eve@example.org"
    assert message.get_content().strip() == "Done."
    (stored,) = [email for email in emails(db, caller) if email.message == "Done."]
    assert stored.status is NotificationStatus.SENT
    assert stored.notification_id in message["Message-ID"]


def test_an_invited_person_gets_a_mail(db: Repository, caller: Caller, account_id: str, post: Post) -> None:
    invitations.invite(db, caller, account_id, "Eve@Example.org")
    run_job(db)
    assert "eve@example.org" in [str(item["To"]).lower() for item in post.sent]


def test_a_mail_is_sent_again_when_the_server_is_back(
    db: Repository, clock: Clock, caller: Caller, account_id: str, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    send_notification(db, caller.user_id, account_id, message="Done.")
    with monkeypatch.context() as down, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # no server listens there
        down.setenv(delivery.SERVER, f"127.0.0.1:{closed.getsockname()[1]}")
        run_job(db)
    assert all("refused" in str(email.failure_reason) for email in emails(db, caller))
    clock.advance(timedelta(minutes=5))
    run_job(db)
    assert {email.status for email in emails(db, caller)} == {NotificationStatus.SENT}


def test_other_channels_are_left_to_their_workers(
    db: Repository, caller: Caller, account_id: str, post: Post
) -> None:
    send_notification(db, caller.user_id, account_id, channels=(Channel.SMS,), message="By SMS.")
    run_job(db)
    worker = Caller("sms", {"roles": ["worker"]})
    assert [claimed.message for claimed in delivery.claims(db, worker)] == ["By SMS."]


def test_without_a_mail_server_mails_wait_for_a_worker(
    db: Repository, caller: Caller, account_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(delivery.SERVER, raising=False)
    send_notification(db, caller.user_id, account_id, message="Done.")
    run_job(db)
    (waiting,) = [email for email in emails(db, caller) if email.message == "Done."]
    assert (waiting.status, waiting.attempts) == (NotificationStatus.PENDING, 0)


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [(delivery.SENDER, "", "to the address"), (delivery.SERVER, "mail.example.org:smtp", "to host:port")],
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
    assert {email.attempts for email in emails(db, caller)} == {0}
