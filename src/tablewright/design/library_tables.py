"""Library tables: the tables of a design that the library itself uses, besides the key table.

One for each environment, if the other tables have one for each.
"""

import re

from tablewright.design.designs import Design
from tablewright.design.tables.tables import Table


def checkpoint_table(design: Design) -> Table:
    """Return the checkpoint table of a design: the progress of migrations, repairs and other passes over tables."""
    return _table(design, re.sub(r"[^a-zA-Z0-9_.-]+", "-", design.name), "migrations", ("name", "place"))


def position_table(design: Design) -> Table:
    """Return the position table of a design: the last handled record of each stream consumer."""
    return _table(design, design.name, "positions", ("consumer", "place"))


def _table(design: Design, name: str, purpose: str, key: tuple[str, str]) -> Table:
    varies = any("{" in table.name for table in design.tables)
    return Table(f"{name}-{{env}}-{purpose}" if varies else f"{name}-{purpose}", key=key)
