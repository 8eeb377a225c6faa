"""Guards: what must be true of an item for a step to be taken, and what it means when it is not.

A guard writes its condition expression, and reads the item that DynamoDB found instead. When only what was read before
has changed since, nobody is to blame: the write is worked out anew.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from tablewright.access.context import Context
from tablewright.access.expressions.aliases import Aliases
from tablewright.access.expressions.condition_text import condition_text
from tablewright.access.items.decoding import FIVE_YEARS, is_expired
from tablewright.access.items.footprint import Dependent
from tablewright.access.writes.targets import Address
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.conditions import Condition
from tablewright.design.fields.markers import Version
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.design.layouts.reserved_attributes import OWNER
from tablewright.design.tables.tables import Table
from tablewright.errors import (
    AlreadyExists,
    ConditionNotMet,
    CopyBlocked,
    DoesNotExist,
    TablewrightError,
    UniqueViolation,
    VersionConflict,
)
from tablewright.values.attributes import AttributeValue, Item

Held: TypeAlias = Mapping[str, AttributeValue | None]
"""Attributes as they were read, None for those that were absent."""


class Guard(Protocol):
    """Stands before one step."""

    @property
    def address(self) -> Address[Entity]:
        """Whose step it is."""

    def expression(self, context: Context, aliases: Aliases) -> str | None:
        """The condition, if there is one."""

    def blame(self, found: Item | None) -> TablewrightError | None:
        """What is wrong, as this item was found; None when what was read before has changed."""


@dataclass(frozen=True, slots=True)
class MainPrecondition:
    """Stands before the main item of an entity."""

    address: Address[Entity]
    now: float
    state: Literal["vacant", "present", "replaceable"]
    """Nothing there; the entity there; or not somebody else there. What has expired is not there."""
    version: int | None = None
    """The version it must have; 0 is that of what was never written, or written before there were versions."""
    read: Held = field(default_factory=dict)
    when: Condition | None = None
    again: bool = False
    """The entity was read and was not there: when it is there now, the write is worked out anew."""

    def expression(self, context: Context, aliases: Aliases) -> str | None:
        """All that must be true, joined."""
        layout = self.address.layout
        state = self._state(aliases)
        if self.version is None and not self.read and self.when is None:
            return state
        clauses = [state]
        if self.version is not None:
            written = {"N": str(self.version)} if self.version else None
            clauses.append(_equals(aliases, version_field(layout).stored, written))
        clauses += [_equals(aliases, name, value) for name, value in self.read.items()]
        if self.when is not None:
            clauses.append(condition_text(layout, self.when, aliases, context.vault))
        return _joined("AND", [clause for clause in clauses if clause])

    def _state(self, aliases: Aliases) -> str | None:
        layout = self.address.layout
        table = layout.table
        if self.state == "replaceable" and layout.type_name is None:
            return None
        partition = aliases.name(table.partition)
        typed = []
        if self.state != "vacant" and layout.type_name is not None:
            typed = [_equals(aliases, table.discriminator, {"S": layout.type_name})]
        match self.state:
            case "vacant":
                return _joined(
                    "OR", [f"attribute_not_exists({partition})", *_expired(aliases, table, self.now)]
                )
            case "present":
                alive = [f"NOT ({clause})" for clause in _expired(aliases, table, self.now)]
                return _joined("AND", [f"attribute_exists({partition})", *typed, *alive])
            case "replaceable":
                return _joined("OR", [f"attribute_not_exists({partition})", *typed])

    def blame(self, found: Item | None) -> TablewrightError | None:
        """What is wrong; the gravest first."""
        layout = self.address.layout
        name, key = self.address.entity.__name__, self.address.shown
        there = is_there(layout, found, self.now)
        if self.version is not None:
            seen = _version(layout, found) if there else None
            if (seen or 0) != self.version:
                return VersionConflict(name, key, self.version, seen)
        if self.state == "present" and not there:
            return DoesNotExist(name, key, "does not exist")
        if found and self.state != "present" and not _typed_so(layout, found):
            return AlreadyExists(name, key, "cannot be written: an item of another type lies under its key")
        if self.state == "vacant":
            return None if self.again else AlreadyExists(name, key, "exists already")
        if any((found or {}).get(attribute) != value for attribute, value in self.read.items()):
            return None
        return ConditionNotMet(name, key, self.when) if self.when is not None else None


@dataclass(frozen=True, slots=True)
class DependentPrecondition:
    """Stands before a copy or a lock: it must belong to the entity, or to nobody."""

    address: Address[Entity]
    now: float
    dependent: Dependent
    owner: Item

    def expression(self, context: Context, aliases: Aliases) -> str | None:
        """Free, ours, or expired."""
        table = self.address.layout.table
        clauses = [
            f"attribute_not_exists({aliases.name(table.partition)})",
            _equals(aliases, OWNER, {"M": self.owner}),
            *_expired(aliases, table, self.now),
        ]
        return _joined("OR", clauses)

    def blame(self, found: Item | None) -> TablewrightError | None:
        """Somebody else has the unique value, or lies where the copy belongs."""
        name, key = self.address.entity.__name__, self.address.shown
        if self.dependent.field is not None:
            return UniqueViolation(name, key, self.dependent.field.name, self.dependent.value)
        return CopyBlocked(name, key, self.dependent.copy)


def version_field(layout: Layout) -> FieldLayout:
    """The field that counts versions."""
    ((field, _),) = layout.marked(Version)
    return field


def is_there(layout: Layout, found: Item | None, now: float) -> bool:
    """Whether an item is an entity of the class, and lives."""
    if not found:
        return False
    return _typed_so(layout, found) and not is_expired(layout.table, found, now)


def _typed_so(layout: Layout, found: Item) -> bool:
    return layout.type_name is None or found.get(layout.table.discriminator) == {"S": layout.type_name}


def _version(layout: Layout, found: Item | None) -> int | None:
    stored = (found or {}).get(version_field(layout).stored)
    return None if stored is None else int(stored["N"])


def _equals(aliases: Aliases, attribute: str, value: AttributeValue | None) -> str:
    if value is None:
        return f"attribute_not_exists({aliases.name(attribute)})"
    return f"{aliases.name(attribute)} = {aliases.value(value)}"


def _expired(aliases: Aliases, table: Table, now: float) -> list[str]:
    if table.ttl is None:
        return []
    low, high = ({"N": str(int(moment))} for moment in (now - FIVE_YEARS + 1, now))
    return [f"{aliases.name(table.ttl)} BETWEEN {aliases.value(low)} AND {aliases.value(high)}"]


def _joined(operator: Literal["AND", "OR"], clauses: list[str]) -> str | None:
    if len(clauses) < 2:
        return clauses[0] if clauses else None
    return f" {operator} ".join(f"({clause})" for clause in clauses)
