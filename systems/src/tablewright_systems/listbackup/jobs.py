"""Background jobs of ListBackup: `tablewright-systems jobs listbackup` runs them, and `tablewright-systems up` too."""

import logging
from datetime import timedelta

from tablewright import errors
from tablewright_systems.listbackup.archives.object_store import store_for
from tablewright_systems.listbackup.platforms.platforms import platforms_for
from tablewright_systems.listbackup.service import (
    accounts,
    closing,
    hierarchy,
    invitations,
    oauth_tokens,
    retention,
    syncs,
)
from tablewright_systems.listbackup.service.alerts import ANNOUNCEMENTS
from tablewright_systems.listbackup.service.delivery import send_mails
from tablewright_systems.listbackup.worker.worker import Worker, new_caller
from tablewright_systems.service import ApiError, Job, JobRun

log = logging.getLogger(__name__)

WORKER = new_caller()
"""The identity of this process in the queue; each claim has a lease of its own."""


def work(run: JobRun) -> None:
    """Do the jobs of the queue until it is empty."""
    store, platforms = store_for(run.db.connection), platforms_for(run.db)
    Worker(run.db, store, platforms, caller=WORKER, is_stopping=lambda: run.is_stopping).run()


def start_syncs(run: JobRun) -> None:
    """Queue a job for each source whose backup is due."""
    syncs.start_due_syncs(run.db, WORKER)


def renew_tokens(run: JobRun) -> None:
    """Renew the tokens of platforms before they expire."""
    oauth_tokens.renew_expiring(run.db, WORKER, platforms_for(run.db))


def reencrypt(run: JobRun) -> None:
    """Encrypt again with the newest keys of accounts what older keys encrypted."""
    accounts.reencrypt(run.db)


def delete_expired(run: JobRun) -> None:
    """Delete the backups, exports and uploads that are not kept any more."""
    retention.delete_expired(run.db, WORKER, store_for(run.db.connection))


def send(run: JobRun) -> None:
    """Send the e-mails that wait, if a mail server is configured."""
    send_mails(run.db, WORKER)


def finish_accounts(run: JobRun) -> None:
    """Continue the moves and closings that are unfinished, one round each. One that fails does not stop the others."""
    for account in run.db.iterate(hierarchy.unfinished_accounts(), unknown="skip"):
        if run.is_stopping:
            return
        try:
            if account.closing_at is not None:
                closing.finish_closing(run.db, account.account_id)
            else:
                hierarchy.finish_move(run.db, account.account_id)
        except (ApiError, errors.TablewrightError):
            log.warning("the work on account %s is not finished", account.account_id, exc_info=True)


def withdraw_invitations(run: JobRun) -> None:
    """Withdraw the invitations that have expired."""
    invitations.withdraw_expired(run.db)


JOBS = (
    Job("worker", timedelta(seconds=2), work, exclusive=False),
    Job("syncs", timedelta(seconds=30), start_syncs),
    Job("mail", timedelta(seconds=30), send),
    Job("tokens", timedelta(minutes=10), renew_tokens),
    Job("reencryption", timedelta(days=1), reencrypt),
    Job("retention", timedelta(hours=1), delete_expired),
    Job("announcements", timedelta(seconds=5), ANNOUNCEMENTS.run),
    Job("unfinished-accounts", timedelta(minutes=1), finish_accounts),
    Job("expired-invitations", timedelta(hours=1), withdraw_invitations),
)
