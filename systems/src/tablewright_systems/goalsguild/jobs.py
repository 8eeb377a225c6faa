"""Background jobs of GoalsGuild: adoption of older rows, reminders, progress of goals, mails with reset tokens."""

from collections.abc import Iterator
from datetime import timedelta

from tablewright import Repository
from tablewright_systems.goalsguild.design.users import PendingReset, ResetRequests
from tablewright_systems.goalsguild.service import adoption, logins, progress_stream, reminders
from tablewright_systems.goalsguild.service.logins import configured_mailer
from tablewright_systems.service import Batch, Caller, Job, JobRun, Outbox, once

_WORKER = Caller("jobs", {"roles": ["worker"]})


def _update_progress(run: JobRun) -> None:
    progress_stream.update_progress(run.db, _WORKER, create=True)


def _send_reset(db: Repository, request: PendingReset) -> Iterator[Batch]:
    logins.send_reset(db, configured_mailer(), request)
    yield Batch()


RESETS = Outbox(ResetRequests(), _send_reset)

JOBS = (
    Job("adoption", timedelta(days=1), once(adoption.adopt)),
    Job("reminders", timedelta(minutes=5), reminders.remind_in_advance),
    Job("progress", timedelta(seconds=5), _update_progress),
    Job("password-resets", timedelta(seconds=2), RESETS.run),
)
