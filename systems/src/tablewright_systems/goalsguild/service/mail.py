"""Mail: a mail server in production; in development, mails are written to the log."""

import logging
from typing import Protocol

from tablewright_systems.service import MailServer

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


def configured_mailer() -> Mailer:
    """Return the mailer of this process: the mail server of the environment, or the log."""
    return MailServer.from_environment(SERVER, SENDER) or LogMailer()
