"""Login attempts (003:96), in a separate table; the document does not give its schema (T23)."""

from datetime import timedelta
from enum import Enum
from typing import Annotated, ClassVar

from tablewright import Entity, Get, Keys, Query, fields
from tablewright_systems.goalsguild.design.tables import login_attempts


class Subject(Enum):
    """Kind of address whose attempts are counted."""

    EMAIL = "EMAIL"
    IP = "IP"


class LoginAttempts(Entity, table=login_attempts, type="LoginAttempts"):
    """Login attempts of one address in one time window. The clock determines the current window, never `ttl`."""

    subject: Subject
    identifier: str
    window: fields.Timestamp
    attempts: Annotated[int, fields.Counter()] = 0
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=1), of="window")] = None

    suppress: ClassVar = {"TW106": "a window is one counter: another attempt increments it"}
    keys = Keys(primary=("{subject}#{identifier}", "WINDOW#{window}"))


class AttemptsInWindow(Get[LoginAttempts]):
    """Get the attempts of an address in a window."""

    subject: Subject
    identifier: str
    window: fields.Timestamp
    consistent = True


class AttemptsOf(Query[LoginAttempts]):
    """List all windows of an address."""

    subject: Subject
    identifier: str
    consistent = True
