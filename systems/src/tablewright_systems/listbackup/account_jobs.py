"""Background work for users and accounts: announcements, moves, closings, invitations that have expired."""

import logging
from datetime import timedelta

from tablewright import errors
from tablewright_systems.listbackup.service.accounts import closing, hierarchy
from tablewright_systems.listbackup.service.notifications.alerts import ANNOUNCEMENTS
from tablewright_systems.listbackup.service.users import invitations
from tablewright_systems.service import ApiError, Job, JobRun

log = logging.getLogger(__name__)


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


ACCOUNT_JOBS = (
    Job("announcements", timedelta(seconds=5), ANNOUNCEMENTS.run),
    Job("unfinished-accounts", timedelta(minutes=1), finish_accounts),
    Job("expired-invitations", timedelta(hours=1), withdraw_invitations),
)
