"""One run of a migration, in a process of its own: `python -m benchmarks.migration_runs WAY DESIGN COUNT [URL]`.

WAY is `pages` (a data file), `processes` (the same, converted in two processes), `items` (with calls for each item) or
`endpoint` (a server). It prints seconds, processor seconds, and the number of changed items.

It uses only names that older versions of Tablewright have too, so that PYTHONPATH can name one of these.
"""

import json
import resource
import sys
import tempfile
import time
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from tablewright import Copy, Design, Entity, Index, Keys, Table, connect, embedded, fields, migrations

CREDENTIALS: dict[str, Any] = {"aws_access_key_id": "bench", "aws_secret_access_key": "bench"}
FEW = 3000
"""Items up to this number are written one by one, as older versions can do it."""
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
NAMES = {"plain": "benchmarks.migration_runs:PLAIN", "lock and copy": "benchmarks.migration_runs:KEPT"}
DESIGNS: dict[str, tuple[Design, Any]] = {"plain": (PLAIN, Plain), "lock and copy": (KEPT, Kept)}


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


def made(entity: Any, number: int) -> Any:
    """An entity in the old format."""
    return entity(part_id=f"{number:08}", name=f"part {number}", price=f"{number}.50", stock=number % 500)


def fill(path: Path, name: str, count: int) -> None:
    """Create a data file with items in the old format."""
    design, entity = DESIGNS[name]
    with connect(design, embedded(path, durability="relaxed"), create=True) as db:
        if count > FEW:
            _fill_quickly(db, entity, count)
        else:
            for number in range(count):
                db.put(made(entity, number))


def _fill_quickly(db: Any, entity: Any, count: int) -> None:
    # Imported here, as older versions have no such modules.
    from tablewright.access.items.footprint import footprint
    from tablewright.access.items.vault import NoVault
    from tablewright.connections.bulk import Replacement

    access = db.connection.bulk_access()
    assert access is not None
    table = access.table(main.name)
    for start in range(0, count, 500):
        numbers = range(start, min(start + 500, count))
        items = [item for number in numbers for item in footprint(made(entity, number), NoVault()).items()]
        rows = [access.stored(table, item) for item in items]
        access.replace([[Replacement(table, row.key, None, row.item)] for row in rows])


def timed(db: Any, **options: Any) -> tuple[float, float, int]:
    """Migrate; return seconds, seconds of CPU, and the number of changed items."""
    began, cpu = time.perf_counter(), _processor_seconds()
    (result,) = migrations.migrate(db, **options)
    return time.perf_counter() - began, _processor_seconds() - cpu, result.tally.changed


def _processor_seconds() -> float:
    """The processor time of this process, and of those that it has started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def on_file(name: str, count: int, way: str) -> tuple[float, float, int]:
    """Migrate a new data file."""
    options: dict[str, Any] = {}
    if way == "processes":  # this module has another name where it runs
        options = {"processes": migrations.Processes(2, NAMES[name])}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.db"
        fill(path, name, count)
        with embedded(path) as connection:
            db = connect(DESIGNS[name][0], ItemByItem(connection) if way == "items" else connection)
            return timed(db, **options)


def on_endpoint(name: str, count: int, url: str) -> tuple[float, float, int]:
    """Migrate a table of a server that has none yet."""
    design, entity = DESIGNS[name]
    with ExitStack() as stack:
        db = stack.enter_context(connect(design, url, create=True, **CREDENTIALS))
        for number in range(count):
            db.put(made(entity, number))
        found = timed(db)
        for table in db.connection.call("ListTables", {})["TableNames"]:
            db.connection.call("DeleteTable", {"TableName": table})
        return found


def run(way: str, name: str, count: int, url: str = "") -> tuple[float, float, int]:
    """Fill and migrate."""
    if way == "endpoint":
        return on_endpoint(name, count, url)
    return on_file(name, count, way)


if __name__ == "__main__":
    way, name, count, *url = sys.argv[1:]
    print(json.dumps(run(way, name, int(count), *url)))
