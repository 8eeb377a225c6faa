"""Staging: answers that are ready before their writes are durable, for a server that commits for many at once."""

from collections.abc import Callable
from typing import Any, NamedTuple

from tablewright.errors import InternalFailure, TablewrightError
from tablewright.storage import Group, Store, Transaction
from tablewright.values.stored_items import to_json

Work = Callable[[Transaction], dict[str, Any]]
Write = Callable[[Work], dict[str, Any]]


def failed(error: TablewrightError) -> tuple[int, bytes]:
    """The answer when the store could not do its part."""
    return 500, to_json(InternalFailure(str(error)).body())


class StagedAnswer(NamedTuple):
    """An answer that rests on a commit yet to come; one without a group rests on nothing and may be told."""

    status: int
    body: bytes
    group: Group | None

    def settled(self) -> tuple[int, bytes]:
        """What to tell once the group is committed, or undone."""
        failure = self.group and self.group.failure
        return failed(failure) if failure else (self.status, self.body)


class Staging:
    """Where one request stages its write."""

    __slots__ = ("_store", "group")

    def __init__(self, store: Store) -> None:
        self._store = store
        self.group: Group | None = None

    def write(self, work: Work) -> dict[str, Any]:
        """Do the work, and remember the group that will make it durable."""
        staged = self._store.stage(work)
        self.group = staged.group
        return staged.tentative()
