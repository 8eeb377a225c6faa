"""Mail server: sends mails by SMTP, as two variables of the environment configure it.

server = MailServer.from_environment("GOALSGUILD_SMTP", "GOALSGUILD_SENDER")
if server is not None:
    server.send("ada@example.org", "Welcome", "Hello Ada")
"""

import os
from dataclasses import dataclass
from email.message import EmailMessage
from smtplib import SMTP
from urllib.parse import quote

TIMEOUT = 30.0
"""Seconds after which a server that does not answer counts as failed: a job would wait for ever."""


@dataclass(frozen=True, slots=True)
class MailServer:
    """An SMTP server, and the address that mails come from."""

    host: str
    port: int
    sender: str

    @classmethod
    def from_environment(cls, server: str, sender: str) -> "MailServer | None":
        """Return the server whose host:port and sender two variables have; None if there is no server.

        ValueError if a variable is missing or invalid: it says which one to set.
        """
        if not (place := os.environ.get(server)):
            return None
        host, _, port = place.partition(":")
        if not host or not (port or "25").isdecimal():
            raise ValueError(f"set {server} to host:port of the mail server, not to {place!r}")
        if not (address := os.environ.get(sender)):
            raise ValueError(f"set {sender} to the address that mails come from, because {server} is set")
        return cls(host, int(port or 25), address)

    def send(self, to: str, subject: str, text: str, key: str | None = None) -> None:
        """Send a mail, or raise an error of the network or the server.

        With a key, the Message-ID is made of it, so that a mail service delivers a repeated mail once.
        """
        mail = EmailMessage()
        mail["From"], mail["To"] = self.sender, to
        # Other programs can have stored texts and IDs with any characters, also line ends.
        mail["Subject"] = " ".join(subject.split())
        if key is not None:
            mail["Message-ID"] = f"<{quote(key, safe='')}@{self.sender.rpartition('@')[2]}>"
        mail.set_content(text)
        with SMTP(self.host, self.port, timeout=TIMEOUT) as connection:
            connection.send_message(mail)
