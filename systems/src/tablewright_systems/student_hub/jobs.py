"""Background jobs of Student Hub: `tablewright-systems jobs student_hub` and `tablewright-systems up` run them.

The environment configures the mail of the reminders:

STUDENT_HUB_SMTP        host:port of the mail server; without it, reminders are only logged
STUDENT_HUB_MAIL_FROM   address of the sender
STUDENT_HUB_USER_POOL   ID of the Cognito user pool, which has the addresses of the students
"""

import logging
import os
from datetime import timedelta
from functools import partial
from typing import Any

from tablewright_systems.service import Caller, Job, JobRun, MailServer
from tablewright_systems.student_hub.service.adoption import adopt_deadlines, adopt_feedback
from tablewright_systems.student_hub.service.reminders import FindAddress, Reminder, Send, send_reminders

log = logging.getLogger(__name__)

WORKER = Caller("student-hub-jobs", {"roles": ["worker"]})


def remind(run: JobRun) -> None:
    """Send the reminders of today and tomorrow, also of deadlines that other programs have written."""
    adopt_deadlines(run.db)
    find_address, send = mail_service()
    tally = send_reminders(run.db, WORKER, find_address, send)
    if tally.failed or tally.without_address:
        log.warning("reminders: %s", tally)


JOBS = (
    Job("reminders", timedelta(minutes=15), remind),
    Job("feedback-by-date", timedelta(days=1), lambda run: adopt_feedback(run.db)),
)


def mail_service() -> tuple[FindAddress, Send]:
    """Return how addresses are found and messages are sent; ValueError names a variable that is missing."""
    server = MailServer.from_environment("STUDENT_HUB_SMTP", "STUDENT_HUB_MAIL_FROM")
    if server is None:
        return (lambda user_id: user_id), _log
    if not (pool := os.environ.get("STUDENT_HUB_USER_POOL")):
        raise ValueError(
            "set STUDENT_HUB_USER_POOL to the ID of the user pool, because STUDENT_HUB_SMTP is set"
        )
    import boto3

    return UserPool(boto3.client("cognito-idp"), pool).address, partial(_send, server)


def _send(server: MailServer, address: str, reminder: Reminder) -> None:
    subject = f"{reminder.title}: due on {reminder.due_date:%d %B %Y}"
    server.send(address, subject, reminder.note or reminder.title, reminder.key)


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
        values = {attribute["Name"]: attribute["Value"] for attribute in user["UserAttributes"]}
        return values.get("email") if values.get("email_verified") == "true" else None
