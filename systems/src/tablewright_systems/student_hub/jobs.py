"""Background jobs of Student Hub: `tablewright-systems jobs student_hub` and `tablewright-systems up` run them."""

import logging
from datetime import timedelta

from tablewright_systems.service import Caller, Job, JobRun
from tablewright_systems.student_hub.mail import mail_service
from tablewright_systems.student_hub.service.adoption import adopt_deadlines, adopt_feedback
from tablewright_systems.student_hub.service.reminders import send_reminders

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
