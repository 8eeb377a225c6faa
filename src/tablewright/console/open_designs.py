"""Open designs: a design, the store that it is connected to, and what the console may do there."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tablewright.access.repository import Repository
from tablewright.console.measured_traffic import MeasuredTraffic
from tablewright.console.tasks import Tasks
from tablewright.console.undo_log import UndoLog
from tablewright.design.designs import Design
from tablewright.design.layouts.layouts import Layout, known_attributes
from tablewright.design.tables import Table
from tablewright.errors import UsageError


@dataclass(frozen=True)
class OpenDesign:
    """A design with its store.

    `location` and `source` are shown in commands, as the command line takes them: `shop.db`, `shop.design:design`.
    """

    db: Repository
    title: str
    location: str
    source: str
    writable: bool = False
    """Whether the console may write: the option --write."""
    reveal: bool = False
    """Whether secret fields are decrypted and sent to the browser: the option --reveal."""
    tasks: Tasks = field(default_factory=Tasks, compare=False)
    """The background tasks of this design."""
    undo_log: UndoLog = field(default_factory=UndoLog, compare=False)
    """What the latest edits changed."""
    write_option: str = "--write"
    """The option of the command that allows writes, as messages name it."""
    reveal_option: str = "--reveal"
    """The option of the command that shows secret fields, as messages name it."""

    def close(self) -> None:
        """End the background tasks, then close the store."""
        self.tasks.close()
        self.traffic.stop()
        self.db.close()

    @cached_property
    def traffic(self) -> MeasuredTraffic:
        """The measurement of requests, which works on an embedded engine."""
        return MeasuredTraffic(self.design, self.tables)

    @property
    def design(self) -> Design:
        """The design."""
        return self.db.design

    @property
    def name(self) -> str:
        """The name of the design, which is its part of the URL."""
        return self.design.name

    def summary(self) -> dict[str, Any]:
        """Describe it for the list of designs."""
        return {
            "name": self.name,
            "title": self.title,
            "location": self.location,
            "source": self.source,
            "writable": self.writable,
            "reveal": self.reveal,
            "write_option": self.write_option,
            "reveal_option": self.reveal_option,
        }

    @property
    def read_only(self) -> str:
        """What to tell a user of a read-only console."""
        return f"This console is read-only. Start it with {self.write_option} to change data."

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The tables by their names in the store."""
        return {self.db.context.table_name(table): table for table in self.design.tables}

    def table(self, name: str) -> Table:
        """Return the table with that name in the store; `UsageError` if the design has none."""
        declared = self.tables.get(name)
        if declared is None:
            raise UsageError(f"{self.name} has no table {name}; it has: {', '.join(self.tables)}")
        return declared

    def attributes_of(self, table: Table, layout: Layout | None = None) -> tuple[str, ...]:
        """Return the attributes that items of a table may have; those of one entity first, if its layout is given."""
        layouts = [entity.layout for entity in self.design.entities_of(table)]
        return known_attributes(layouts if layout is None else [layout, *layouts])


def by_name(designs: Sequence[OpenDesign]) -> dict[str, OpenDesign]:
    """Return the designs by name; `UsageError` if two have the same name, or a name cannot be part of an address."""
    named: dict[str, OpenDesign] = {}
    for design in designs:
        if design.name in ("", ".", "..") or set(design.name) & set("/\\%"):
            raise UsageError(
                f"the name of a design is part of the console's addresses, so {design.name!r} cannot be shown; "
                "use letters, digits and hyphens: Design('my-design', ...)"
            )
        if design.name in named:
            raise UsageError(f"two designs are named {design.name}; the console needs different names")
        named[design.name] = design
    return named
