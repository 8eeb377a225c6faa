"""Migrations: items a second, in one process, on a data file and over an endpoint.

    make bench ARGS=migrations                     100,000 items
    ITEMS=10000 make bench ARGS=migrations         fewer

Each migration converts one attribute of every item. `plain` entities are one item; `lock and copy` entities have a
unique field and a copy that has the converted attribute, so that each conversion is a transaction.
`item by item` makes calls for each item, as over other connections; `page by page` is what an embedded database does.
"""

import os
import resource
import tempfile
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from benchmarks.settings import Settings
from tablewright import (
    Copy,
    Design,
    Entity,
    Index,
    Keys,
    Repository,
    Table,
    connect,
    embedded,
    fields,
    migrations,
)

ITEMS = int(os.environ.get("ITEMS", "100000"))
main = Table("shop", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])


class Plain(Entity, table=main, type="PLAIN"):
    part_id: str
    name: str
    price: Decimal | str
    stock: int = 7
    note: str = "a note of some length, as items have"
    keys = Keys(primary=("PART#{part_id}", "PART"), GSI1=("NAME#{name}", "{part_id}"))


class Kept(Entity, table=main, type="KEPT"):
    part_id: str
    name: Annotated[str, fields.Unique()]
    price: Decimal | str
    stock: int = 7
    version: Annotated[int, fields.Version()] = 0
    keys = Keys(primary=("KEPT#{part_id}", "PART"), GSI1=("NAME#{name}", "{part_id}"))
    shelf = Copy(primary=("SHELF#{stock}", "PART#{part_id}"), fields=("part_id", "price"))


def as_number(item: dict[str, Any]) -> dict[str, Any] | None:
    """Convert the price."""
    if not isinstance(item["price"], str):
        return None
    return item | {"price": Decimal(item["price"])}


PLAIN = Design("shop", entities=[Plain], migrations=[migrations.Migration("prices", Plain, as_number)])
KEPT = Design("shop", entities=[Kept], migrations=[migrations.Migration("prices", Kept, as_number)])
DESIGNS = {"plain": (PLAIN, Plain), "lock and copy": (KEPT, Kept)}


class ItemByItem:
    """A connection that hides what it is, so that each item is written with calls of its own."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.clock = connection.clock

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Make a call."""
        reply: dict[str, Any] = self._connection.call(operation, request)
        return reply

    def close(self) -> None:
        """Do nothing."""


def filled(path: Path, design: Design, entity: Any, count: int) -> None:
    """Create a data file with items in the old format."""
    with connect(design, embedded(path, durability="relaxed"), create=True) as db:
        made = (
            entity(part_id=f"{number:08}", name=f"part {number}", price=f"{number}.50", stock=number % 500)
            for number in range(count)
        )
        for each in made:
            db.put(each)


def timed(db: Repository) -> tuple[float, float, int]:
    """Seconds, seconds of CPU, and the number of changed items."""
    began, cpu = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    (result,) = migrations.migrate(db)
    after = resource.getrusage(resource.RUSAGE_SELF)
    used = after.ru_utime + after.ru_stime - cpu.ru_utime - cpu.ru_stime
    return time.perf_counter() - began, used, result.tally.changed


def measured(design: Design, entity: Any, count: int, *, item_by_item: bool) -> tuple[float, float]:
    """Items a second, and a second of CPU, on a new data file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.db"
        filled(path, design, entity, count)
        with embedded(path) as connection:
            db = connect(design, ItemByItem(connection) if item_by_item else connection)
            seconds, cpu, changed = timed(db)
    assert changed == count
    return count / seconds, count / cpu


def report(settings: Settings) -> Iterator[str]:
    """A table for the data file."""
    rows = []
    for name, (design, entity) in DESIGNS.items():
        slow = measured(design, entity, max(ITEMS // 10, 1), item_by_item=True)
        fast = measured(design, entity, ITEMS, item_by_item=False)
        for label, (rate, per_cpu) in (("item by item", slow), ("page by page", fast)):
            rows.append(f"| {name}, {label} | {rate:,.0f} | {per_cpu:,.0f} | {per_cpu / slow[1]:.1f} |")
    head = "| | items/s | items/s of CPU | ratio |\n|---|---:|---:|---:|"
    yield "\n".join([f"### {ITEMS:,} items in a data file", "", head, *rows, ""])
