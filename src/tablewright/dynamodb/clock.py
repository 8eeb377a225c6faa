"""The clock of a database: it follows the system clock, and can be moved or frozen.

TTL, tokens, stream retention, iterators and throttling all use it, so a test can move time forward by a day.
"""

import time
from datetime import datetime, timedelta

Span = timedelta | float


class Clock:
    """Seconds since 1970.

    >>> clock = Clock(start=1_700_000_000)
    >>> clock.advance(timedelta(hours=1))
    >>> clock.now()
    1700003600.0
    """

    def __init__(self, start: float | datetime | None = None) -> None:
        self._frozen: float | None = None
        self._offset = 0.0
        if start is not None:
            self.freeze(start)

    def now(self) -> float:
        """The time, in seconds since 1970."""
        return self._frozen if self._frozen is not None else time.time() + self._offset

    @property
    def frozen(self) -> bool:
        """Whether the clock is frozen."""
        return self._frozen is not None

    def advance(self, span: Span) -> None:
        """Move the clock forward by a `timedelta` or by seconds."""
        seconds = span.total_seconds() if isinstance(span, timedelta) else float(span)
        if self._frozen is not None:
            self._frozen += seconds
        else:
            self._offset += seconds

    def freeze(self, at: float | datetime | None = None) -> None:
        """Freeze the clock, now or at another time; only `advance` moves it until `resume`."""
        if isinstance(at, datetime):
            at = at.timestamp()
        self._frozen = self.now() if at is None else float(at)

    def resume(self) -> None:
        """Let a frozen clock run again, from its current time."""
        if self._frozen is not None:
            self._offset = self._frozen - time.time()
            self._frozen = None
