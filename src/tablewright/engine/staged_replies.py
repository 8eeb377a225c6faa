"""Staged replies: ready before their writes are durable, for a server that commits many requests at once."""

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

from tablewright.dynamodb.values.stored_items import to_json
from tablewright.engine.storage import Group, Store, Transaction
from tablewright.errors import InternalFailure, StoreError, TablewrightError

Work = Callable[[Transaction], dict[str, Any]]
Write = Callable[[Work], dict[str, Any]]

_log = logging.getLogger("tablewright.engine")


def failed(error: TablewrightError) -> tuple[int, bytes]:
    """The reply when the store failed. The log has the details, which name files of this machine."""
    if not isinstance(error, StoreError):
        return 500, to_json(InternalFailure(str(error)).body())
    _log.error("%s", error)
    return 500, to_json(InternalFailure(error.public).body())


class StagedReply(NamedTuple):
    """A reply that depends on the commit of `group`; a reply without a group may be sent at once."""

    status: int
    body: bytes
    group: Group | None

    def settled(self) -> tuple[int, bytes]:
        """The reply to send after the group was committed or undone."""
        failure = self.group and self.group.failure
        return failed(failure) if failure else (self.status, self.body)


class Staging:
    """Stages the write of one request."""

    __slots__ = ("_store", "group")

    def __init__(self, store: Store) -> None:
        self._store = store
        self.group: Group | None = None

    def write(self, work: Work) -> dict[str, Any]:
        """Run the work, and keep the group that will make it durable."""
        staged = self._store.stage(work)
        self.group = staged.group
        return staged.tentative()
