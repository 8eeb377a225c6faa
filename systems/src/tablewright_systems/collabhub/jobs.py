"""Background jobs of CollabHub: `tablewright-systems jobs collabhub` runs them, and `tablewright-systems up` too."""

from datetime import timedelta

from tablewright_systems.collabhub.service import access, adoption, notifications, subscriptions
from tablewright_systems.service import Job, once

JOBS = (
    Job("adoption", timedelta(minutes=5), once(adoption.adopt)),
    Job("access-expiry", timedelta(minutes=5), access.end_expired),
    Job("subscription-expiry", timedelta(minutes=5), subscriptions.end_cancelled),
    Job("message-notifications", timedelta(seconds=5), notifications.OUTBOX.run),
)
