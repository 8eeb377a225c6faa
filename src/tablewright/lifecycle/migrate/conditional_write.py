"""Settling: writing what was worked out from an item, under the condition that the item is still so.

When it is not, it is read again and worked out anew; so nothing that others write meanwhile is lost.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tablewright.access.calls.backoff import ATTEMPTS, backoff
from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.expressions.aliases import Aliases
from tablewright.access.items.key_values import describe_key, key_of
from tablewright.access.items.vault import run_with_keys
from tablewright.access.reads.item_reads import item_at
from tablewright.access.writes import execute
from tablewright.access.writes.actions import Edit, Step
from tablewright.access.writes.execute import Refused, Unsettled
from tablewright.access.writes.preconditions import Held
from tablewright.access.writes.transact import LIMIT
from tablewright.design.layouts.reserved_attributes import OWNER
from tablewright.design.tables.tables import Table
from tablewright.errors import (
    InvalidWrite,
    KeyValueError,
    SecretError,
    TablewrightError,
    TransactionCanceled,
    UnknownItem,
    ValidationError,
    ValueNotStorable,
)
from tablewright.lifecycle.migrate.conversions import NotConverted
from tablewright.lifecycle.traversal.table_pass import Outcome, Rejected
from tablewright.values.attributes import AttributeValue, Item

_MOST_HELD = 120
"""Attributes that one condition can speak of, for DynamoDB takes 300 operators."""

Propose = Callable[[Item], Procedure[Sequence[Step]]]
"""What is to be done, given the item as it is."""


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Stands before an item: it must be as it was read."""

    table: Table
    held: Held
    address: Any = None

    def expression(self, context: Context, aliases: Aliases) -> str | None:
        """Every attribute as it was, and the item there."""
        clauses = [f"attribute_exists({aliases.name(self.table.partition)})"]
        return " AND ".join([*clauses, *(_equals(aliases, *each) for each in self.held.items())])

    def blame(self, found: Item | None) -> TablewrightError | None:
        """Nobody: it is worked out anew."""
        return None


@dataclass(frozen=True, slots=True)
class Vacant:
    """Stands before a place where nothing must be; `why` is told when something is."""

    table: Table
    why: str = ""
    address: Any = None

    def expression(self, context: Context, aliases: Aliases) -> str | None:
        """Nothing there."""
        return f"attribute_not_exists({aliases.name(self.table.partition)})"

    def blame(self, found: Item | None) -> TablewrightError | None:
        """What is wrong; nobody, when it is only that something has come since it was looked at."""
        return InvalidWrite(self.why) if self.why else None


def unchanged(table: Table, item: Item, edit: Edit | None = None) -> Unchanged:
    """The guard that holds to an item as it was read, first of all to what an edit changes."""
    touched = (*edit.set, *edit.remove) if edit else ()
    names = [name for name in dict.fromkeys((*touched, *item)) if name not in table.key]
    return Unchanged(table, {name: item.get(name) for name in names[:_MOST_HELD]})


def settle(
    context: Context, table: Table, item: Item, propose: Propose, *, dry_run: bool = False
) -> Procedure[Outcome]:
    """Do to an item what is proposed for it as it is."""
    found: Item | None = item
    for attempt in range(ATTEMPTS):
        if found is None:
            return "same"
        try:
            wanted = yield from run_with_keys(partial(propose, found))
        except (
            NotConverted,
            UnknownItem,
            SecretError,
            KeyValueError,
            InvalidWrite,
            ValueNotStorable,
        ) as refusal:
            return Rejected(refusal.reason if isinstance(refusal, UnknownItem) else str(refusal))
        if not wanted or dry_run:
            return "changed" if wanted else "same"
        outcome = yield from _sent(wanted)
        if outcome is not None:
            return outcome
        yield backoff(attempt)
        found = yield from item_at(context, table, key_of(table, item))
    return Rejected("is written by others again and again")


def _sent(wanted: Sequence[Step]) -> Procedure[Outcome | None]:
    """What came of the steps; None when they have to be worked out anew."""
    if len(wanted) > LIMIT:
        return Rejected(f"takes {len(wanted)} items to write at once, and DynamoDB takes {LIMIT}")
    try:
        answer = yield from execute.send(wanted)
    except Unsettled:
        return None  # the next look at the item tells
    except (ValidationError, TransactionCanceled) as refusal:
        return Rejected(str(refusal))
    if not isinstance(answer, Refused):
        return "changed"
    blames = [(wanted[place].guard.blame(found), found) for place, found in answer.found.items()]
    if any(blame is None for blame, _ in blames):
        return None
    return Rejected("; ".join(f"{blame}{owned_by(found)}" for blame, found in blames))


def owned_by(found: Item | None) -> str:
    """Whose a copy or lock is, to be told."""
    return f" ({describe_key(found[OWNER]['M'])})" if found and OWNER in found else ""


def edited(
    found: Item, desired: Item, differs: Callable[[AttributeValue, AttributeValue], bool], only: Iterable[str]
) -> Edit:
    """What has to be done to some attributes of an item, so that it is as desired."""
    names = set(only)
    sets = {
        name: value
        for name, value in desired.items()
        if name in names and (name not in found or differs(found[name], value))
    }
    return Edit(sets, frozenset(name for name in found if name in names and name not in desired))


def _equals(aliases: Aliases, attribute: str, value: AttributeValue | None) -> str:
    if value is None:
        return f"attribute_not_exists({aliases.name(attribute)})"
    return f"{aliases.name(attribute)} = {aliases.value(value)}"
