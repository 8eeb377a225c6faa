"""E-mails: a background job sends the notifications of that channel through a mail server.

LISTBACKUP_SMTP     host:port of the mail server; without it, e-mails wait for a worker (`POST /notifications/claim`)
LISTBACKUP_SENDER   address that e-mails come from
"""

from tablewright import Repository
from tablewright_systems.listbackup.design.notifications import Channel, Notification
from tablewright_systems.listbackup.design.users import UserById
from tablewright_systems.listbackup.service.notifications.delivery import SendReport, send_all
from tablewright_systems.service import Caller, MailServer, require_found

SERVER, SENDER = "LISTBACKUP_SMTP", "LISTBACKUP_SENDER"


def send_mails(db: Repository, caller: Caller) -> SendReport:
    """Send the e-mails that wait, if the environment names a mail server. For workers."""
    server = MailServer.from_environment(SERVER, SENDER)
    if server is None:
        return SendReport()

    def send(notification: Notification) -> None:
        address = _address(db, notification)
        server.send(address, notification.subject, notification.message, notification.notification_id)

    return send_all(db, caller, send, Channel.EMAIL)


def _address(db: Repository, notification: Notification) -> str:
    """Return the address of an invited person, or that of the user at this time."""
    if notification.address is not None:
        return notification.address
    found = db.run(UserById(user_id=notification.user_id))
    return require_found(found, f"user {notification.user_id}").email
