"""Mail of reminders: an SMTP server, addresses from a user pool, a log without them."""

import logging
import socketserver
import threading
from collections.abc import Iterator
from datetime import date

import boto3
import pytest
from botocore.stub import Stubber

from tablewright_systems.student_hub.mail import MailServer, UserPool, mail_service
from tablewright_systems.student_hub.service.reminders import Reminder

REMINDER = Reminder(
    user_id="ada",
    deadline_id="d1",
    claim="c",
    title="Visa",
    due_date=date(2024, 3, 15),
    note="Bring passport",
)


class Inbox(socketserver.ThreadingTCPServer):
    """An SMTP server that keeps what it receives."""

    daemon_threads = True
    lines: list[str]


class _Session(socketserver.StreamRequestHandler):
    server: Inbox

    def handle(self) -> None:
        self._reply("220 ready")
        for raw in self.rfile:
            line = raw.decode().rstrip()
            self.server.lines.append(line)
            if line.upper() == "DATA":
                self._reply("354 go on")
                while (content := self.rfile.readline().decode().rstrip("\r\n")) != ".":
                    self.server.lines.append(content)
            if line.upper() == "QUIT":
                return self._reply("221 bye")
            self._reply("250 ok")
        return None

    def _reply(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with Inbox(("127.0.0.1", 0), _Session) as server:
        server.lines = []
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_reminder_is_sent_with_its_key_as_message_id(inbox: Inbox) -> None:
    host, port = inbox.server_address[:2]
    MailServer(f"{host!s}:{port}", "hub@example.org").send("ada@example.org", REMINDER)
    assert "To: ada@example.org" in inbox.lines
    assert "Subject: Visa: due on 15 March 2024" in inbox.lines
    assert "Message-ID: <d1%3A2024-03-15@example.org>" in inbox.lines
    assert "Bring passport" in inbox.lines


def test_a_title_cannot_add_headers(inbox: Inbox) -> None:
    host, port = inbox.server_address[:2]
    foreign = REMINDER.model_copy(update={"title": "Visa\r\nBcc: eve@example.org", "deadline_id": "d 1\n"})
    MailServer(f"{host!s}:{port}", "hub@example.org").send("ada@example.org", foreign)
    assert "Subject: Visa Bcc: eve@example.org: due on 15 March 2024" in inbox.lines
    assert "Message-ID: <d%201%0A%3A2024-03-15@example.org>" in inbox.lines
    assert not any(line.startswith("Bcc:") for line in inbox.lines)


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
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-north-1")
    monkeypatch.delenv("STUDENT_HUB_USER_POOL", raising=False)
    with pytest.raises(KeyError, match="STUDENT_HUB_USER_POOL"):
        mail_service()
