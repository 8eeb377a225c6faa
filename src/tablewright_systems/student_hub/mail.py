"""Mail of the reminders, as the environment configures it.

STUDENT_HUB_SMTP        host:port of the mail server; without it, reminders are only logged
STUDENT_HUB_MAIL_FROM   address of the sender
STUDENT_HUB_USER_POOL   ID of the Cognito user pool, which has the addresses of the students (636)
"""

import logging
import os
from email.message import EmailMessage
from smtplib import SMTP
from typing import Any
from urllib.parse import quote

from tablewright_systems.student_hub.service.reminders import FindAddress, Reminder, Send

log = logging.getLogger(__name__)


def mail_service() -> tuple[FindAddress, Send]:
    """Return how addresses are found and messages are sent; KeyError if a variable is missing."""
    if server := os.environ.get("STUDENT_HUB_SMTP"):
        import boto3

        pool = UserPool(boto3.client("cognito-idp"), os.environ["STUDENT_HUB_USER_POOL"])
        return pool.address, MailServer(server, os.environ["STUDENT_HUB_MAIL_FROM"]).send
    return (lambda user_id: user_id), _log


def _log(address: str, reminder: Reminder) -> None:
    log.warning(
        "no mail server is set in STUDENT_HUB_SMTP; reminder for %s: %s, due on %s",
        address,
        reminder.title,
        reminder.due_date,
    )


class UserPool:
    """The user pool in which the students have registered."""

    def __init__(self, client: Any, pool: str) -> None:
        self._client = client
        self._pool = pool

    def address(self, user_id: str) -> str | None:
        """Return the verified e-mail address of a user, or None."""
        try:
            user = self._client.admin_get_user(UserPoolId=self._pool, Username=user_id)
        except self._client.exceptions.UserNotFoundException:
            return None
        values = {each["Name"]: each["Value"] for each in user["UserAttributes"]}
        return values.get("email") if values.get("email_verified") == "true" else None


class MailServer:
    """An SMTP server."""

    def __init__(self, server: str, sender: str) -> None:
        self._host, _, port = server.partition(":")
        self._port = int(port or 25)
        self._sender = sender

    def send(self, address: str, reminder: Reminder) -> None:
        """Send a reminder; its Message-ID is its idempotency key, so that a mail service delivers it once."""
        message = EmailMessage()
        message["From"], message["To"] = self._sender, address
        # Other programs can have stored titles and IDs with any characters, also line ends.
        message["Subject"] = f"{' '.join(reminder.title.split())}: due on {reminder.due_date:%d %B %Y}"
        message["Message-ID"] = f"<{quote(reminder.key, safe='')}@{self._sender.rpartition('@')[2]}>"
        message.set_content(reminder.note or reminder.title)
        with SMTP(self._host, self._port) as connection:
            connection.send_message(message)
