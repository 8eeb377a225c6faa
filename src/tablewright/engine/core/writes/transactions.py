"""Transactions: many reads or writes, all or none, and the cancellation reasons.

A request is rejected as a whole for errors that need no table, and for an item named twice. An action that does not
fit its table cancels the transaction, and only the first such action is reported. Then all conditions are checked and
all updates computed, and every failure is reported, in the order of the actions.

Client tokens: a transaction that is sent again within ten minutes is not applied a second time.

Tokens are kept in the store, so they survive a restart. Each has two rows: one by its name, and one by the time it
was used, by which old tokens are found and deleted.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from tablewright.dynamodb.values.stored_items import StoredItem, decode, encode
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import TOKENS, StoredTable
from tablewright.engine.core.state.key_schema import EmptyKey
from tablewright.engine.core.writes.item_collections import CollectionLimit
from tablewright.engine.core.writes.item_writes import Write
from tablewright.errors import IdempotentParameterMismatch, ServiceError, TransactionCanceled, ValidationError

SPAN = 600.0
"""Seconds for which a token is kept."""
_BY_NAME = b"n"
_BY_TIME = b"t"
_LONGEST_SWEEP = 100


class Token(NamedTuple):
    """A client's token, and the fingerprint of its request."""

    name: str
    fingerprint: str


def recall(tx: Writing, token: Token) -> bool:
    """Whether the same request was applied before; raises when the token was used with another request."""
    row = tx.rows.get(TOKENS, _BY_NAME + token.name.encode())
    if row is None:
        return False
    fingerprint, used = decode(row.raw)
    if tx.now() - used >= SPAN:
        return False
    if fingerprint != token.fingerprint:
        raise IdempotentParameterMismatch(
            "DynamoDB rejected the request because you retried a request with a different payload but with an "
            "idempotent token that was already used."
        )
    return True


def remember(tx: Writing, token: Token) -> None:
    """Store the token of an applied request, and delete some expired tokens."""
    now = tx.now()
    forget_old(tx)
    name = token.name.encode()
    tx.rows.put(TOKENS, _BY_NAME + name, StoredItem(encode([token.fingerprint, now]), 0))
    tx.rows.put(TOKENS, _time_key(now) + name, StoredItem(name, 0))


def has_old(tx: Reading) -> bool:
    """Whether there are expired tokens."""
    return any(True for _ in tx.rows.range(TOKENS, _BY_TIME, _time_key(tx.now() - SPAN)))


def forget_old(tx: Writing) -> None:
    """Delete some expired tokens."""
    expired_before = tx.now() - SPAN
    old = zip(tx.rows.range(TOKENS, _BY_TIME, _time_key(expired_before)), range(_LONGEST_SWEEP), strict=False)
    for (key, row), _ in list(old):
        tx.rows.delete(TOKENS, key)
        by_name = _BY_NAME + row.raw
        entry = tx.rows.get(TOKENS, by_name)
        if entry is not None and decode(entry.raw)[1] <= expired_before:
            tx.rows.delete(TOKENS, by_name)


def _time_key(at: float) -> bytes:
    return _BY_TIME + max(int(at * 1000), 0).to_bytes(8, "big")


MAX_ACTIONS = 100
MAX_SIZE = 4 * 1024 * 1024


class Action(Protocol):
    """One action of a transaction, on one item of one table."""

    @property
    def table(self) -> str:
        """The name of the table."""

    def locate(self, table: StoredTable) -> bytes:
        """The item's key bytes; raises ValidationError when the action does not fit the table."""


def require_size(size: int) -> None:
    """Reject a transaction that is too large."""
    if size > MAX_SIZE:
        raise ValidationError(f"Transaction payload size cannot exceed {MAX_SIZE} bytes")


def item_keys(tx: Reading, actions: Sequence[Action]) -> list[tuple[StoredTable, bytes]]:
    """The tables and keys of all actions."""
    tables = [tx.table(action.table) for action in actions]
    keys: list[tuple[StoredTable, bytes]] = []
    failures: dict[int, ServiceError] = {}
    for number, (action, table) in enumerate(zip(actions, tables, strict=True)):
        try:
            keys.append((table, action.locate(table)))
        except EmptyKey:
            raise
        except ValidationError as failure:
            if not failures:
                failures[number] = failure.with_traceback(None)  # it refers to this frame: see `changes`
    if len({(table.space, key) for table, key in keys}) < len(keys):
        raise ValidationError("Transaction request cannot include multiple operations on one item")
    if failures:
        raise canceled(len(actions), failures)
    return keys


def changes(tx: Writing, writes: Sequence[Write]) -> list[ItemChange]:
    """The changes of all writes, not applied yet."""
    result: list[ItemChange] = []
    failures: dict[int, ServiceError] = {}
    limit = CollectionLimit(tx)
    for number, (write, (table, key)) in enumerate(zip(writes, item_keys(tx, writes), strict=True)):
        try:
            old = tx.get(table, key)
            write.condition.require(old)
            change = ItemChange(table, key, old, write.outcome(table, old))
            limit.require(change)
            result.append(change)
        except ServiceError as failure:
            # Its traceback refers to this frame, and the frame to it: only the garbage collector would free both.
            failures[number] = failure.with_traceback(None)
    if failures:
        raise canceled(len(writes), failures)
    return result


def canceled(count: int, failures: Mapping[int, ServiceError]) -> TransactionCanceled:
    """The error of a transaction with `count` actions, of which `failures` failed."""
    return TransactionCanceled(
        [_reason(failures[number]) if number in failures else {"Code": "None"} for number in range(count)]
    )


def _reason(failure: ServiceError) -> dict[str, Any]:
    code = (
        "ValidationError" if isinstance(failure, ValidationError) else failure.code.removesuffix("Exception")
    )
    return {"Code": code, "Message": failure.message, **failure.details()}
