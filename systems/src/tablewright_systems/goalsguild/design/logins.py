"""Attempts to log in, to reset a password, and to look up addresses (F12), in a separate table.

The document does not give its schema (R23). An address is counted for each network: attempts from one network do not
block the owner of the address elsewhere.
"""

from datetime import timedelta
from enum import Enum
from typing import Annotated

from tablewright import Entity, Get, Keys, Query, fields
from tablewright_systems.goalsguild.design.tables import login_attempts


class Subject(Enum):
    """What is counted: logins of an e-mail address, resets of an e-mail address, lookups of a user, a network."""

    EMAIL = "EMAIL"
    RESET = "RESET"
    LOOKUP = "LOOKUP"
    IP = "IP"


class LoginAttempts(Entity, table=login_attempts, type="LoginAttempts"):
    """Attempts of one subject in one time window. The clock determines the current window, never `ttl`."""

    subject: Subject
    identifier: str
    window: fields.Timestamp
    network: str = "any"
    attempts: Annotated[int, fields.Counter()] = 0
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=1), of="window")] = None

    keys = Keys(primary=("{subject}#{identifier}", "WINDOW#{window}#{network}"))


class AttemptsInWindow(Get[LoginAttempts]):
    """Get the attempts of a subject in a window."""

    subject: Subject
    identifier: str
    window: fields.Timestamp
    network: str = "any"
    consistent = True


class AttemptsOf(Query[LoginAttempts]):
    """List all windows of a subject."""

    subject: Subject
    identifier: str
    consistent = True
