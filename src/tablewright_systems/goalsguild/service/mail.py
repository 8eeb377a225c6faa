"""Mail: the seam to the mail server. In development, mails are written to the log."""

import logging
import os
import smtplib
from email.message import EmailMessage
from typing import Protocol

log = logging.getLogger(__name__)

SERVER = "GOALSGUILD_SMTP"
"""Environment variable with the mail server, such as `mail.example.org:25`."""
SENDER = "GOALSGUILD_SENDER"
"""Environment variable with the address that mails come from."""


class Mailer(Protocol):
    """Sends mails."""

    def send(self, to: str, subject: str, text: str) -> None:
        """Send a mail, or raise an exception; the mail is then sent again later."""
        ...


class LogMailer:
    """Writes mails to the log, for development."""

    def send(self, to: str, subject: str, text: str) -> None:
        """Write a mail to the log."""
        log.warning("no mail server is set in %s; mail to %s: %s: %s", SERVER, to, subject, text)


class SmtpMailer:
    """Sends mails through a mail server."""

    def __init__(self, server: str, sender: str) -> None:
        self._server = server
        self._sender = sender

    def send(self, to: str, subject: str, text: str) -> None:
        """Send a mail."""
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = self._sender, to, subject
        mail.set_content(text)
        with smtplib.SMTP(self._server, timeout=30) as server:
            server.send_message(mail)


def configured_mailer() -> Mailer:
    """Return the mailer of this process: the mail server of the environment, or the log."""
    server = os.environ.get(SERVER)
    return SmtpMailer(server, os.environ.get(SENDER, "goalsguild@localhost")) if server else LogMailer()
