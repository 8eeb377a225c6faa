"""Times of sample data: created <= changed <= now, and what expires or is due is in the future."""

import random
import re
from datetime import UTC, date, datetime, timedelta

SPAN = timedelta(days=90)
"""The oldest entities are about as old as this."""
_FUTURE = re.compile(
    r"expir|(^|_)until($|_)|(^|_)due|(^|_)end(s|ing|_|$)|_ends?_|(^|_)next_|scheduled|deadline|renew|appointment|"
    r"arrival|travel|departure|check_out|delivery_date|valid_to|refreshing|claimed_until|period_end"
)
_BIRTH = re.compile(r"birth|(^|_)dob$")


class Times:
    """The times of one entity: it was created at `created`, and the present is `now`."""

    def __init__(self, source: random.Random, created: datetime, now: datetime) -> None:
        self._random = source
        self.created = created
        self.now = now
        self._latest = created
        """The latest time in the past so far; the next one is not earlier."""

    def by_name(self, name: str) -> datetime:
        """A time for a field with that name.

        >>> times = Times(random.Random(1), datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC))
        >>> times.by_name("created_at") <= times.by_name("sent_at") <= times.now < times.by_name("expires_at")
        True
        """
        if _BIRTH.search(name):
            return self._rounded(self.now - timedelta(days=self._random.randint(18 * 365, 70 * 365)))
        if is_future(name):
            return self.future()
        if re.match(r"created|(^|_)start|begin", name) or name == "timestamp":
            return self.created
        return self.changed()

    def changed(self) -> datetime:
        """A time after all others in the past, and not after now."""
        left = (self.now - self._latest) * self._random.uniform(0.02, 0.3)
        self._latest = self._rounded(self._latest + left)
        return self._latest

    def future(self) -> datetime:
        """A time within the next weeks."""
        return self._rounded(self.now + timedelta(hours=self._random.randint(6, 60 * 24)))

    @staticmethod
    def _rounded(time: datetime) -> datetime:
        return time.replace(microsecond=time.microsecond // 1000 * 1000)

    def day(self, name: str) -> date:
        """A date for a field with that name."""
        return self.by_name(name).astimezone(UTC).date()


def is_future(name: str) -> bool:
    """Whether a field names a time that is usually in the future.

    >>> is_future("expires_at"), is_future("created_at")
    (True, False)
    """
    return _FUTURE.search(name) is not None


def creation_time(
    source: random.Random, now: datetime, earliest: datetime | None, longest: timedelta | None = None
) -> datetime:
    """A time of creation: not before what the entity refers to, and so late that it has not expired yet.

    `longest` is the life of the entity after its creation; None if it does not expire.
    """
    start = max(earliest or now - SPAN, now - SPAN)
    if longest is not None:
        start = max(start, now - longest * 0.9)
    found = start + (now - start) * source.uniform(0.02, 0.95)
    return found.replace(microsecond=found.microsecond // 1000 * 1000)
