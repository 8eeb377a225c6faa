"""Rate limits: at most a number of requests of a subject in each time window.

A limit is a number, a window, and the entity that counts:

    class LoginAttempts(Entity, table=login_attempts):
        subject: str
        window: fields.Timestamp
        attempts: Annotated[int, fields.Counter()] = 0
        ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=1), of="window")] = None

    LOGINS = RateLimit(5, timedelta(minutes=15), "too many logins; wait", LoginAttempts, counter="attempts")

    transact(db, LOGINS.count(db.now(), subject=email), LOGINS.count(db.now(), subject=address))

A request is counted by a conditional write, in the transaction of what it does or before: concurrent requests cannot
exceed the limit. Several subjects are counted in one transaction, all or none. The clock determines the window, never
the TTL, which only deletes old counters.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any, Generic, TypeVar

from tablewright import Entity, writes
from tablewright_systems.service.errors import TooManyRequests

E = TypeVar("E", bound=Entity)


@dataclass(frozen=True, slots=True)
class RateLimit(Generic[E]):
    """At most `most` requests in each `window`; windows begin at multiples of their length."""

    most: int
    window: timedelta
    message: str
    """Message of the error for a request above the limit."""
    entity: type[E]
    """Counts the requests of one subject in one window."""
    counter: str = "used"
    """Field of the entity with the number of requests."""
    start: str = "window"
    """Field of the entity with the start of the window."""

    def window_of(self, time: datetime) -> datetime:
        """Return the start of the window that contains a time."""
        seconds = int(self.window.total_seconds())
        return datetime.fromtimestamp(int(time.timestamp()) // seconds * seconds, UTC)

    def count(self, now: datetime, **subject: Any) -> writes.Upsert[E]:
        """Return the write that counts a request; above the limit it raises `TooManyRequests`."""
        return writes.Upsert(
            self._counter(now, subject, 1),
            add={self.counter: 1},
            when=getattr(self.entity, self.counter) < self.most,
            otherwise=self.error(now),
        )

    def uncount(self, now: datetime, **subject: Any) -> writes.Upsert[E]:
        """Return the write that removes one counted request."""
        return writes.Upsert(self._counter(now, subject, 0), add={self.counter: -1})

    def reset(self, now: datetime, **subject: Any) -> writes.Delete[E]:
        """Return the write that forgets all requests of a subject in the current window."""
        return writes.Delete(self._counter(now, subject, 0))

    def error(self, now: datetime) -> TooManyRequests:
        """Return the error of a request above the limit, with the seconds until the next window."""
        wait = self.window_of(now) + self.window - now
        return TooManyRequests(self.message, ceil(wait.total_seconds()))

    def _counter(self, now: datetime, subject: dict[str, Any], used: int) -> E:
        return self.entity(**subject, **{self.start: self.window_of(now), self.counter: used})
