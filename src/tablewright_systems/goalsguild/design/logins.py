"""Login attempts (003:96): a table of its own, whose schema the document does not give (T23)."""

from datetime import timedelta
from enum import Enum
from typing import Annotated, ClassVar

from tablewright import Entity, Get, Keys, Query, fields
from tablewright_systems.goalsguild.design.tables import login_attempts


class Subject(Enum):
    """Whose attempts are counted."""

    EMAIL = "EMAIL"
    IP = "IP"


class LoginAttempts(Entity, table=login_attempts, type="LoginAttempts"):
    """The attempts of one address in one window of time. Which window counts is told by the clock, never by `ttl`."""

    subject: Subject
    identifier: str
    window: fields.Timestamp
    attempts: Annotated[int, fields.Counter()] = 0
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=1), of="window")] = None

    suppress: ClassVar = {"TW106": "a window is one counter: who tries again in it adds to it"}
    keys = Keys(primary=("{subject}#{identifier}", "WINDOW#{window}"))


class AttemptsInWindow(Get[LoginAttempts]):
    """How often an address tried in a window."""

    subject: Subject
    identifier: str
    window: fields.Timestamp
    consistent = True


class AttemptsOf(Query[LoginAttempts]):
    """All windows of an address that are kept."""

    subject: Subject
    identifier: str
    consistent = True
