"""Transactions: many reads or writes that happen together or not at all, and the reasons when they do not.

A request is refused as a whole for what can be seen without its tables, and for an item named twice. What does not
fit a table cancels it, and only the first such misfit is reported. Then all conditions are tried and all updates
computed, and everything that fails is reported, in the order of the actions.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tablewright.engine.changes import Change
from tablewright.engine.sessions import Reading, Writing
from tablewright.engine.state.catalog import Table
from tablewright.engine.state.key_schema import EmptyKey
from tablewright.engine.writes.item_writes import Write
from tablewright.errors import ServiceError, TransactionCanceled, ValidationError

MAX_ACTIONS = 100
MAX_SIZE = 4 * 1024 * 1024


class Action(Protocol):
    """One part of a transaction: it is about one item of one table."""

    @property
    def table(self) -> str:
        """The name of the table."""

    def locate(self, table: Table) -> bytes:
        """The item's key bytes; refuses what does not fit the table."""


def require_size(size: int) -> None:
    """Refuse a transaction that carries too much."""
    if size > MAX_SIZE:
        raise ValidationError(f"Transaction payload size cannot exceed {MAX_SIZE} bytes")


def places(tx: Reading, actions: Sequence[Action]) -> list[tuple[Table, bytes]]:
    """The tables and keys of all actions."""
    tables = [tx.table(action.table) for action in actions]
    found: list[tuple[Table, bytes]] = []
    misfits: dict[int, ServiceError] = {}
    for number, (action, table) in enumerate(zip(actions, tables, strict=True)):
        try:
            found.append((table, action.locate(table)))
        except EmptyKey:
            raise
        except ValidationError as misfit:
            if not misfits:
                misfits[number] = misfit
    if len({(table.space, key) for table, key in found}) < len(found):
        raise ValidationError("Transaction request cannot include multiple operations on one item")
    if misfits:
        raise canceled(len(actions), misfits)
    return found


def changes(tx: Writing, writes: Sequence[Write]) -> list[Change]:
    """What the writes do, none of it done yet."""
    wanted: list[Change] = []
    failures: dict[int, ServiceError] = {}
    for number, (write, (table, key)) in enumerate(zip(writes, places(tx, writes), strict=True)):
        try:
            old = tx.get(table, key)
            write.condition.require(old)
            wanted.append(Change(table, key, old, write.outcome(table, old)))
        except ServiceError as failure:
            failures[number] = failure
    if failures:
        raise canceled(len(writes), failures)
    return wanted


def canceled(count: int, failures: Mapping[int, ServiceError]) -> TransactionCanceled:
    """The end of a transaction of so many actions, of which these failed."""
    return TransactionCanceled(
        [_reason(failures[number]) if number in failures else {"Code": "None"} for number in range(count)]
    )


def _reason(failure: ServiceError) -> dict[str, Any]:
    code = (
        "ValidationError" if isinstance(failure, ValidationError) else failure.code.removesuffix("Exception")
    )
    return {"Code": code, "Message": failure.message, **failure.details()}
