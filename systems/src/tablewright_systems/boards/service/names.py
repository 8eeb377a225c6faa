"""Unique names of users and boards (R1).

A claim makes a name unique: an item in the same table, written in the transaction that writes the user or board. Claims
ignore case and form. Rows of other programs have no claim before their adoption; an index finds them by the exact
spelling of their name.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from tablewright import Entity, Get, Query, Repository
from tablewright_systems.boards.index_fallback import read_oldest
from tablewright_systems.service import Conflict

E = TypeVar("E", bound=Entity)


@dataclass(frozen=True, slots=True)
class Names(Generic[E]):
    """The names of users, or those of boards."""

    claim: Callable[[str], Get[E]]
    """The pattern that reads the owner of a name through its claim."""
    rows: Callable[[str], Query[E]]
    """The pattern that reads all rows with a name from the index."""
    row: Callable[[E], Get[E]]
    """The pattern that reads a row from the table."""
    field: str
    """The field of a request that has the name."""

    def taken(self) -> Conflict:
        """Return the error for a name that another user or board has."""
        return Conflict("this name is already taken", field=self.field)

    def holder(self, db: Repository, name: str) -> E | None:
        """Return what has a name now, also while it is being deleted; None if the name is free."""
        return self._oldest_row(db, name) or db.run(self.claim(name))

    def is_free(self, db: Repository, name: str) -> bool:
        """Return whether a name is free now; only the write that claims it takes it."""
        return self.holder(db, name) is None

    def free_name(self, db: Repository, name: str, target: Get[E] | None = None) -> str:
        """Return a name in its stored form; raise `Conflict` if a row without a claim, not the target, has it.

        The write that claims the name decides about rows with a claim.
        """
        claim = self.claim(name)
        row = self._oldest_row(db, name) if db.run(claim) is None else None
        if row is not None and self.row(row) != target:
            raise self.taken()
        _, stored = next(iter(claim))
        return str(stored)

    def _oldest_row(self, db: Repository, name: str) -> E | None:
        """Return the oldest row with a name: programs without claims can write several."""
        return read_oldest(db, self.rows(name), self.row)
