"""The mail server of the environment."""

import socket

import pytest
from tablewright_systems.service import MailServer, mail_server

from systems.tests.smtp_inbox import inbox

SERVER, SENDER = "SHOP_SMTP", "SHOP_SENDER"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SERVER, "mail.example.org:2525")
    monkeypatch.setenv(SENDER, "shop@example.org")


def test_server_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MailServer.from_environment(SERVER, SENDER) == MailServer(
        "mail.example.org", 2525, "shop@example.org"
    )
    monkeypatch.setenv(SERVER, "mail.example.org")
    assert MailServer.from_environment(SERVER, SENDER) == MailServer(
        "mail.example.org", 25, "shop@example.org"
    )
    monkeypatch.setenv(SERVER, "")
    assert MailServer.from_environment(SERVER, SENDER) is None


@pytest.mark.parametrize(
    ("server", "sender", "variable"),
    [("mail:smtp", "a@b.org", SERVER), (":25", "a@b.org", SERVER), ("mail:25", "", SENDER)],
)
def test_error_says_which_variable_to_set(
    monkeypatch: pytest.MonkeyPatch, server: str, sender: str, variable: str
) -> None:
    monkeypatch.setenv(SERVER, server)
    monkeypatch.setenv(SENDER, sender)
    with pytest.raises(ValueError, match=f"set {variable} to"):
        MailServer.from_environment(SERVER, SENDER)


def test_mail_is_sent_and_texts_cannot_add_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    with inbox() as received:
        monkeypatch.setenv(SERVER, received.place)
        server = MailServer.from_environment(SERVER, SENDER)
        assert server is not None
        server.send("ada@example.org", "Your order\r\nBcc: eve@example.org", "It is on its way.", "o 1\n")
    assert "From: shop@example.org" in received.lines
    assert "Subject: Your order Bcc: eve@example.org" in received.lines
    assert "Message-ID: <o%201%0A@example.org>" in received.lines
    assert "It is on its way." in received.lines
    assert not any(line.startswith("Bcc:") for line in received.lines)


def test_server_that_does_not_answer_counts_as_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_server, "TIMEOUT", 0.01)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(OSError, match="timed out"):
        MailServer("127.0.0.1", silent.getsockname()[1], "a@b.org").send("ada@example.org", "x", "y")
