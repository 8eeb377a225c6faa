"""E-mails: a background job sends the notifications of that channel through a mail server.

LISTBACKUP_SMTP     host:port of the mail server; without it, e-mails wait for a worker (`POST /notifications/claim`)
LISTBACKUP_SENDER   address that e-mails come from
"""

import os
from collections.abc import Mapping
from email.message import EmailMessage
from smtplib import SMTP

from tablewright import Repository
from tablewright_systems.listbackup.design.notifications import Channel, Notification
from tablewright_systems.listbackup.design.users import UserById
from tablewright_systems.listbackup.service.notifications.delivery import SendReport, send_all
from tablewright_systems.service import Caller, require_found

SERVER, SENDER = "LISTBACKUP_SMTP", "LISTBACKUP_SENDER"
_TIMEOUT = 30.0


def send_mails(db: Repository, caller: Caller, environment: Mapping[str, str] = os.environ) -> SendReport:
    """Send the e-mails that wait, if the environment names a mail server. For workers."""
    if not environment.get(SERVER):
        return SendReport()
    host, _, port = environment[SERVER].partition(":")
    if not (port or "25").isdecimal():
        raise ValueError(f"set {SERVER} to host:port of the mail server, not to {environment[SERVER]!r}")
    sender = environment.get(SENDER)
    if not sender:
        raise ValueError(f"set {SENDER} to the address that e-mails come from, as {SERVER} is set")

    def send(notification: Notification) -> None:
        message = _message(notification, sender, _address(db, notification))
        with SMTP(host, int(port or 25), timeout=_TIMEOUT) as connection:
            connection.send_message(message)

    return send_all(db, caller, send, Channel.EMAIL)


def _address(db: Repository, notification: Notification) -> str:
    """Return the address of an invited person, or that of the user at this time."""
    if notification.address is not None:
        return notification.address
    found = db.run(UserById(user_id=notification.user_id))
    return require_found(found, f"user {notification.user_id}").email


def _message(notification: Notification, sender: str, address: str) -> EmailMessage:
    """Return the e-mail; its id is that of the notification, so that a repeated one can be recognised."""
    message = EmailMessage()
    message["From"], message["To"] = sender, address
    message["Subject"] = " ".join(notification.subject.split())  # names in rows of V1 may have line ends
    message["Message-ID"] = f"<{notification.notification_id}@{sender.rpartition('@')[2]}>"
    message.set_content(notification.message)
    return message
