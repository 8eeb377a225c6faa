"""Ids that sort by the time they were made (299), also those of one millisecond, as far as one process makes them."""

from datetime import datetime
from threading import Lock

from tablewright import fields

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MOMENT = 10
"""How many characters of a ULID are its time."""


class Ulids:
    """Makes ULIDs by the moments it is given; within one millisecond each is greater than the last (T26).

    >>> from datetime import UTC
    >>> make, now = Ulids(), datetime(2025, 1, 1, tzinfo=UTC)
    >>> make(now) < make(now) < make(now)
    True
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._last = ""

    def __call__(self, moment: datetime) -> str:
        """A fresh one."""
        fresh = fields.ulid(moment.timestamp())
        with self._lock:
            if fresh[:_MOMENT] == self._last[:_MOMENT]:
                fresh = _following(self._last)
            self._last = fresh
            return fresh


def _following(ulid: str) -> str:
    """The next one.

    >>> _following("00AZZ")
    '00B00'
    """
    head = ulid.rstrip("Z")
    following = _ALPHABET[_ALPHABET.index(head[-1]) + 1]
    return head[:-1] + following + "0" * (len(ulid) - len(head))


new_ulid = Ulids()
