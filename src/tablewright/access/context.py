"""Context: the clock, the table names and the vault of a repository, for the procedures that run in it."""

import time
from collections.abc import Callable
from dataclasses import field, replace
from datetime import UTC, datetime

from tablewright.access.cursors import Cursors
from tablewright.access.items.decoding import Decoder
from tablewright.access.items.vault import NoVault, Vault
from tablewright.access.layout_records import IncompleteParts
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.designs import Design
from tablewright.design.keys.timestamps import parse_timestamp
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables import Table
from tablewright.errors import UsageError


@dataclass(frozen=True, slots=True)
class Context:
    """The clock, the environment in table names, and the vault.

    >>> Context(now=lambda: 0.0).timestamp()
    datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)
    """

    now: Callable[[], float] = time.time
    """Seconds since 1970."""
    environment: str | None = None
    vault: Vault = field(default_factory=NoVault)
    design: Design | None = None
    """The design; None allows any table and any entity."""
    prefix: str = ""
    """A prefix of all table names."""
    cursors: Cursors = field(default_factory=Cursors)
    """Makes and reads the cursors of pages."""
    incomplete: IncompleteParts = field(default_factory=IncompleteParts, repr=False)
    """The index keys, copies and locks that stored items of a class lack."""
    _names: dict[Table, str] = field(default_factory=dict, repr=False)
    _decoders: dict[int, Decoder] = field(default_factory=dict, repr=False)
    _writable: dict[int, Layout] = field(default_factory=dict, repr=False)
    """The layouts that `require_writable` has accepted, by their ids."""

    def with_new_vault(self) -> "Context":
        """Return a context whose vault has no keys in memory: for a connection that holds back writes."""
        return replace(self, vault=self.vault.without_keys(), _decoders={})

    def timestamp(self) -> datetime:
        """Return the time in whole milliseconds, as timestamps are stored."""
        timestamp: datetime = parse_timestamp(datetime.fromtimestamp(self.now(), UTC))
        return timestamp

    def table_name(self, table: Table) -> str:
        """Return the name of a table in this repository's store."""
        name = self._names.get(table)
        if name is None:
            name = self._names[table] = self.prefix + table.physical_name(self.environment)
        return name

    def require(self, layout: Layout) -> None:
        """Raise `UsageError` for an entity whose table is not part of the design, and so may not exist."""
        if self.design is not None and layout.table not in self.design.tables:
            name = layout.entity.__name__
            raise UsageError(
                f"{name} is stored in the table {layout.table.name}, which is not part of the design; {_fix(name)}"
            )

    def require_writable(self, layout: Layout) -> None:
        """Raise `UsageError` for an entity that is not part of the design: no tool would expect its items.

        A class of the same type as one of the design is accepted: its former or its next version.
        """
        if self.design is None or id(layout) in self._writable:
            return
        self.require(layout)
        if not self.design.has_type(layout.table, layout.type_name):
            name = layout.entity.__name__
            raise UsageError(
                f"{name} is not part of the design {self.design.name}, so that no check, migration or policy knows its "
                f"items in {layout.table.name}; {_fix(name)}"
            )
        self._writable[id(layout)] = layout

    def decoder(self, layout: Layout) -> Decoder:
        """Return the decoder that makes entities of a class from items."""
        decoder = self._decoders.get(id(layout))
        if decoder is None:
            decoder = self._decoders[id(layout)] = Decoder(layout, self.vault)
        return decoder


def _fix(entity: str) -> str:
    return f"add it to Design(..., entities=[..., {entity}])"
