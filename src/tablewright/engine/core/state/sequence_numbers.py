"""Sequence numbers: the position of a record in its stream, or of a change in its table's journal.

A sequence number is the time it was assigned, in milliseconds, followed by eight digits that distinguish records of
the same millisecond. So the numbers of a stream always increase, and a time is also a position: records older than a
day are below `sequence_at(now - a day)`, and no index by time is needed.
"""

from collections.abc import Callable

from tablewright.engine.storage import ReadView

_PER_MILLISECOND = 10**8
# AWS rejects sequence numbers with fewer digits, so ours are padded.
_DIGITS = 21
_OWNER_BYTES = 8
_NUMBER_BYTES = 12


def sequence_at(time: float) -> int:
    """The first sequence number of a time, given in seconds since 1970.

    >>> sequence_at(1_700_000_000.25)
    170000000025000000000
    """
    return max(0, int(time * 1000)) * _PER_MILLISECOND


def numeral(number: int) -> str:
    """A sequence number as AWS writes it.

    >>> numeral(7)
    '000000000000000000007'
    """
    return str(number).rjust(_DIGITS, "0")


def position(owner: int, number: int) -> bytes:
    """The key of a record in its space."""
    return owner.to_bytes(_OWNER_BYTES, "big") + number.to_bytes(_NUMBER_BYTES, "big")


def number_of(key: bytes) -> int:
    """The sequence number in a record's key."""
    return int.from_bytes(key[_OWNER_BYTES:], "big")


def last_number(rows: ReadView, space: int, owner: int) -> int | None:
    """The number of a stream's newest record in `space`; None when there is none."""
    for key, _ in rows.range(space, position(owner, 0), position(owner + 1, 0), backward=True):
        return number_of(key)
    return None


class Sequences:
    """Assigns the numbers. Only writers call it, one at a time; the number of an undone write is not used again."""

    def __init__(self, space: int, on_first_record: Callable[[], None]) -> None:
        self._space = space
        self._on_first_record = on_first_record
        self._last: dict[int, int] = {}

    def next(self, rows: ReadView, owner: int, now: float, since: float = 0.0) -> int:
        """A number above all that the stream has had `since` it was created, even when the clock was set back."""
        last = self._last.get(owner)
        if last is None:
            last = last_number(rows, self._space, owner) or sequence_at(since)
            # The first record of this stream since the database was opened: records expire, so sweeping must start.
            self._on_first_record()
        number = self._last[owner] = max(last + 1, sequence_at(now))
        return number
