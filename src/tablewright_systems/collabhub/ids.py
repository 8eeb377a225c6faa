"""Ids that sort by creation time (299), also within one millisecond of one process."""

from datetime import datetime
from threading import Lock

from tablewright import fields

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_TIME_LENGTH = 10
"""How many characters of a ULID are its time."""


class Ulids:
    """Generates ULIDs; within one millisecond each is greater than the last (T26).

    >>> from datetime import UTC
    >>> make, now = Ulids(), datetime(2025, 1, 1, tzinfo=UTC)
    >>> make(now) < make(now) < make(now)
    True
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._last = ""

    def __call__(self, time: datetime) -> str:
        """Return a new ULID for a time."""
        ulid = fields.ulid(time.timestamp())
        with self._lock:
            if ulid[:_TIME_LENGTH] == self._last[:_TIME_LENGTH]:
                ulid = _successor(self._last)
            self._last = ulid
            return ulid


def _successor(ulid: str) -> str:
    """Return the next ULID.

    >>> _successor("00AZZ")
    '00B00'
    """
    head = ulid.rstrip("Z")
    successor = _ALPHABET[_ALPHABET.index(head[-1]) + 1]
    return head[:-1] + successor + "0" * (len(ulid) - len(head))


new_ulid = Ulids()
