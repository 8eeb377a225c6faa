"""Sequence numbers: where a record stands in its stream, or a change in its table's journal.

A sequence number is the moment it was given, in milliseconds, followed by eight digits that tell apart what happened
in the same millisecond. So numbers of a stream always rise, and a moment is also a position: what is older than a
day lies below `sequence_at(now - a day)`, and nobody has to remember which record that was.
"""

from typing import TYPE_CHECKING

from tablewright.storage import View

if TYPE_CHECKING:
    from tablewright.engine.sessions import Writing

_PER_MILLISECOND = 10**8
# AWS refuses sequence numbers of fewer digits than this, so ours are filled up.
_DIGITS = 21
_STREAM_BYTES = 8
_NUMBER_BYTES = 12


def sequence_at(moment: float) -> int:
    """The first sequence number of a moment, given in seconds since 1970.

    >>> sequence_at(1_700_000_000.25)
    170000000025000000000
    """
    return max(0, int(moment * 1000)) * _PER_MILLISECOND


def numeral(number: int) -> str:
    """A sequence number as AWS writes it.

    >>> numeral(7)
    '000000000000000000007'
    """
    return str(number).rjust(_DIGITS, "0")


def position(stream: int, number: int) -> bytes:
    """The key of a record in its space."""
    return stream.to_bytes(_STREAM_BYTES, "big") + number.to_bytes(_NUMBER_BYTES, "big")


def number_of(key: bytes) -> int:
    """The sequence number in a record's key."""
    return int.from_bytes(key[_STREAM_BYTES:], "big")


def last_number(rows: View, space: int, stream: int) -> int | None:
    """The number of a stream's newest record; `space` is where the records are."""
    for key, _ in rows.range(space, position(stream, 0), position(stream + 1, 0), backward=True):
        return number_of(key)
    return None


class Sequences:
    """Gives out the numbers. Only writers ask, one at a time; a number lost with an undone write leaves a gap."""

    def __init__(self, space: int) -> None:
        self._space = space
        self._last: dict[int, int] = {}

    def next(self, tx: "Writing", stream: int, now: float, since: float = 0.0) -> int:
        """A number above all that the stream has had `since` it was made, even when the clock was turned back."""
        last = self._last.get(stream)
        if last is None:
            last = last_number(tx.rows, self._space, stream) or sequence_at(since)
            # The first record of a stream, as far as this process knows: from here on somebody must trim.
            tx.database.sweeper.start()
        number = self._last[stream] = max(last + 1, sequence_at(now))
        return number
