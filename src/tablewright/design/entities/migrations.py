"""Migrations: named, ordered changes of stored items, as values.

    budgets = Migration("2026-11-budget-as-number", UserProfile, up=number, down=text)

`up` gets the attributes of an item as plain values, under their stored names, and returns the new attributes. None
leaves the item as it is, `DELETE` removes it. A ValueError rejects the item: it stays as it is and is listed. `up` is
called for every item, also for those that are done, which it must leave as they are. If it has a second parameter, that
is a `View` to look up other entities. `down` reverts `up`.

A migration of an entity converts only its items, with their secrets decrypted. Index keys, copies and locks follow, and
items that the class does not accept are rejected. Without `up`, items are written as the class writes them now, so that
its upcasts are no longer needed. A migration of a table converts every item as it is stored.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from enum import Enum
from functools import lru_cache
from inspect import Parameter, signature
from typing import Any, Final, Protocol, TypeAlias

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.entities.entities import Entity
from tablewright.design.layouts.layouts import abstract_error, is_abstract
from tablewright.design.tables import Table
from tablewright.errors import DesignError

Attributes: TypeAlias = dict[str, Any]


class Removal(Enum):
    """What a migration returns to delete an item."""

    DELETE = "DELETE"


DELETE: Final = Removal.DELETE

Change: TypeAlias = Callable[..., Attributes | Removal | None]
"""`(attributes) -> attributes`, or `(attributes, view) -> attributes`."""


class View(Protocol):
    """What the function of a migration can read besides the item."""

    @property
    def now(self) -> datetime:
        """The current time of the repository's clock."""

    def find(self, entity: type[Entity], /, **key: Any) -> Attributes | None:
        """Return the attributes of another entity by its key fields. Until the item is written, it must not change."""


@dataclass(frozen=True, slots=True)
class Migration:
    """A change of stored items, and how to revert it."""

    name: str
    of: type[Entity] | Table
    up: Change | None = None
    down: Change | None = None

    def __post_init__(self) -> None:
        if not self.name or "/" in self.name:
            raise DesignError(f"{self.name!r} is not a name for a migration; use a name without a slash")
        if not isinstance(self.of, Table) and is_abstract(self.of):
            raise DesignError(
                f"the migration {self.name} is of {self.of.__name__}: {abstract_error(self.of)}"
            )
        if isinstance(self.of, Table) and self.up is None:
            raise DesignError(
                f"the migration {self.name} of the table {self.of.name} has no up function; give it one"
            )
        for change in (self.up, self.down):
            if change is not None:
                _check_parameters(self.name, change)

    @property
    def table(self) -> Table:
        """The table whose items it changes."""
        return self.of if isinstance(self.of, Table) else self.of.layout.table


def in_order(migrations: Iterable[Migration]) -> tuple[Migration, ...]:
    """Return the migrations in the order they are run; raise when two have one name."""
    listed = tuple(migrations)
    names = [migration.name for migration in listed]
    for name in names:
        if names.count(name) > 1:
            raise DesignError(f"two migrations have the name {name}; rename the one that was not run yet")
    return listed


@lru_cache(maxsize=64)
def takes_view(change: Change) -> bool:
    """Return whether a function takes a view."""
    return len(_positional(change)) == 2


def _check_parameters(name: str, change: Change) -> None:
    if len(_positional(change)) not in (1, 2):
        raise DesignError(
            f"the migration {name} has a function that does not take (attributes) or (attributes, view)"
        )


def _positional(change: Change) -> list[Parameter]:
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return [
        parameter
        for parameter in signature(change).parameters.values()
        if parameter.kind in kinds and parameter.default is Parameter.empty
    ]
