"""Migrations: changes of what is stored, as values with a name and an order.

    budgets = Migration("2026-11-budget-as-number", UserProfile, up=number, down=text)

`up` is given the attributes of an item as plain values, under their stored names, and answers with the attributes as
they shall be; None leaves the item alone, `DELETE` removes it. It raises ValueError for what does not convert: the item
is then left as it is, and listed. It is asked of every item, also of those that are done, which it must leave alone.
A second parameter, if it has one, is a `View` of what lies around the item. `down` is the way back.

Of an entity, only its items are asked about, with their secrets open. Keys of indexes, copies and locks follow by
themselves, and what the class does not accept is listed too. Without `up`, items are written as the class writes them
now: so its upcasts come to rest. Of a table, every item is asked about, as it lies there, and nothing follows.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from inspect import Parameter, signature
from typing import Any, Final, Protocol, TypeAlias

from tablewright.design.entities.entities import Entity
from tablewright.design.tables.tables import Table
from tablewright.errors import DesignError

Attributes: TypeAlias = dict[str, Any]


class Removal(Enum):
    """What a migration answers to have an item removed."""

    DELETE = "DELETE"


DELETE: Final = Removal.DELETE

Change: TypeAlias = Callable[..., Attributes | Removal | None]
"""`(attributes) -> attributes`, or `(attributes, view) -> attributes`."""


class View(Protocol):
    """What a migration may see besides the item itself."""

    @property
    def now(self) -> datetime:
        """The time, by the database's clock."""

    def find(self, entity: type[Entity], /, **key: Any) -> Attributes | None:
        """Another entity's attributes, by the fields of its key; it must still be so when the item is written."""


@dataclass(frozen=True, slots=True)
class Migration:
    """A change of what is stored, with its way back."""

    name: str
    of: type[Entity] | Table
    up: Change | None = None
    down: Change | None = None

    def __post_init__(self) -> None:
        if not self.name or "/" in self.name:
            raise DesignError(f"{self.name!r} is no name for a migration; give it one without a slash")
        if isinstance(self.of, Table) and self.up is None:
            raise DesignError(
                f"the migration {self.name} of the table {self.of.name} has no up; say what to do"
            )
        for change in (self.up, self.down):
            if change is not None:
                _check_parameters(self.name, change)

    @property
    def table(self) -> Table:
        """The table whose items it is about."""
        return self.of if isinstance(self.of, Table) else self.of.layout.table


def in_order(migrations: Iterable[Migration]) -> tuple[Migration, ...]:
    """The migrations as they were given, which is the order they are run in; refused when two have one name."""
    listed = tuple(migrations)
    names = [migration.name for migration in listed]
    for name in names:
        if names.count(name) > 1:
            raise DesignError(f"two migrations are called {name}; rename one that has not been run yet")
    return listed


def takes_view(change: Change) -> bool:
    """Whether a change wants to see what lies around the item."""
    return len(_positional(change)) == 2


def _check_parameters(name: str, change: Change) -> None:
    if len(_positional(change)) not in (1, 2):
        raise DesignError(
            f"the migration {name} has a function that takes neither (attributes) nor (attributes, view)"
        )


def _positional(change: Change) -> list[Parameter]:
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return [
        each
        for each in signature(change).parameters.values()
        if each.kind in kinds and each.default is Parameter.empty
    ]
