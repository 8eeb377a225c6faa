"""The clock everything asks for the time: it runs as the system's does, and can be moved.

TTL, tokens, stream retention, iterators and throttling all read it, so a test moves a day in no time.
"""

import time
from datetime import datetime, timedelta

Span = timedelta | float


class Clock:
    """Seconds since 1970. It never goes back by itself, and moves forward when told to.

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
        """Whether it stands still."""
        return self._frozen is not None

    def advance(self, span: Span) -> None:
        """Move forward by a `timedelta` or by seconds."""
        seconds = span.total_seconds() if isinstance(span, timedelta) else float(span)
        if self._frozen is not None:
            self._frozen += seconds
        else:
            self._offset += seconds

    def freeze(self, at: float | datetime | None = None) -> None:
        """Stop, here or at another time; only `advance` moves it from now on."""
        if isinstance(at, datetime):
            at = at.timestamp()
        self._frozen = self.now() if at is None else float(at)

    def resume(self) -> None:
        """Run on from where it stands."""
        if self._frozen is not None:
            self._offset = self._frozen - time.time()
            self._frozen = None
