"""The engine in the process, against the raw SQLite work and JSON decoding that it cannot do without."""

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import apsw
import orjson

from benchmarks.items import TABLE, item, key, query
from benchmarks.settings import Settings
from benchmarks.timing import ROUNDS, compare, table
from tablewright import embedded
from tablewright.connections import Embedded
from tablewright.engine.core.state.key_schema import KeySchema

ITEMS = 10_000
# Relaxed files are measured where flushing is free: on a disk, SQLite's checkpoints stall either side at random, for
# longer than all its puts take.
SHARED_MEMORY = Path("/dev/shm")


def report(settings: Settings) -> Iterator[str]:
    """The tables of this benchmark, one by one."""
    rounds = settings.rounds(ROUNDS)
    for place in ("memory", "relaxed file"):
        with _filled(place) as (db, raw):
            yield _get(place, db, raw, rounds)
            yield _put(place, db, raw, rounds)
            yield _query(place, db, raw, rounds)


@contextmanager
def _filled(place: str) -> Iterator[tuple[Embedded, apsw.Connection]]:
    """An engine with items in it, and a plain SQLite database with the same bytes under the same keys."""
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None) as folder:
        on_file = place != "memory"
        with embedded(Path(folder) / "ours.db" if on_file else None, durability="relaxed") as db:
            raw = apsw.Connection(str(Path(folder) / "raw.db") if on_file else ":memory:")
            raw.execute("PRAGMA page_size = 8192; PRAGMA cache_size = -16384")
            raw.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            for name in ("items", "by_team"):
                raw.execute(
                    f"CREATE TABLE {name} (key BLOB PRIMARY KEY, size INTEGER, body BLOB) WITHOUT ROWID"
                )
            db.call("CreateTable", TABLE)
            for number in range(ITEMS):
                db.call("PutItem", {"TableName": "bench", "Item": item(number)})
                _upsert(raw, number)
            yield db, raw
            raw.close()


_KEYS = KeySchema.compile(TABLE["KeySchema"], TABLE["AttributeDefinitions"])
_INDEX_KEYS = KeySchema.compile(
    TABLE["GlobalSecondaryIndexes"][0]["KeySchema"], TABLE["AttributeDefinitions"]
)
_ROW_KEYS = {number: _KEYS.encode(key(number)) for number in range(ITEMS)}


def _upsert(raw: apsw.Connection, number: int) -> None:
    stored, row, body = item(number), _ROW_KEYS[number], orjson.dumps(item(number))
    upsert_rows(raw, row, _INDEX_KEYS.encode(stored) + row, body)


def upsert_rows(raw: apsw.Connection, row: bytes, index_row: bytes, body: bytes) -> None:
    """The two rows that a put with one index cannot do without, in one transaction."""
    raw.execute("BEGIN IMMEDIATE")
    for name, place in (("items", row), ("by_team", index_row)):
        raw.execute(
            f"INSERT INTO {name} VALUES (?1, ?2, ?3) "
            "ON CONFLICT (key) DO UPDATE SET size = excluded.size, body = excluded.body",
            (place, len(body), body),
        )
    raw.execute("COMMIT")


def _numbers() -> Callable[[], int]:
    rng = random.Random(1)
    return lambda: int(rng.random() * ITEMS)


def _get(place: str, db: Embedded, raw: apsw.Connection, rounds: int) -> str:
    ours, theirs = _numbers(), _numbers()
    requests = [{"TableName": "bench", "Key": key(number)} for number in range(ITEMS)]

    def lookup() -> object:
        for (body,) in raw.execute("SELECT body FROM items WHERE key = ?", (_ROW_KEYS[theirs()],)):
            return orjson.loads(body)
        return None

    contestants = {
        "raw apsw lookup + JSON decode": lookup,
        "call(GetItem)": lambda: db.call("GetItem", requests[ours()]),
    }
    return table(f"GetItem of 1 KB, {place}", compare(contestants, 2_000, rounds), limit=4)


def _put(place: str, db: Embedded, raw: apsw.Connection, rounds: int) -> str:
    turns = count()
    stored = [item(number) for number in range(2_000)]
    rows = [(_ROW_KEYS[n], _INDEX_KEYS.encode(entry) + _ROW_KEYS[n]) for n, entry in enumerate(stored)]
    # Each put changes the item, so that no contestant can skip the work: SQLite does not write an unchanged page.
    versions = [entry | {"count": {"N": str(n + 1)}} for n, entry in enumerate(stored)]
    puts = [[{"TableName": "bench", "Item": entry} for entry in entries] for entries in (versions, stored)]
    bodies = [[orjson.dumps(entry) for entry in entries] for entries in (versions, stored)]
    raw_turns = count()

    def upsert() -> None:
        turn, place = divmod(next(raw_turns), len(rows))
        upsert_rows(raw, *rows[place], bodies[turn % 2][place])

    def put() -> None:
        turn, place = divmod(next(turns), len(rows))
        db.call("PutItem", puts[turn % 2][place])

    contestants = {"raw apsw upsert of two rows": upsert, "call(PutItem), one index": put}
    return table(f"PutItem of 1 KB with one index, {place}", compare(contestants, 1_000, rounds), limit=5)


def _query(place: str, db: Embedded, raw: apsw.Connection, rounds: int) -> str:
    ours, theirs = _numbers(), _numbers()
    requests = [query(number) for number in range(ITEMS)]

    def sweep() -> object:
        low = _ROW_KEYS[theirs() // 10 * 10]
        rows = raw.execute("SELECT body FROM items WHERE key >= ? ORDER BY key LIMIT 10", (low,))
        return [orjson.loads(body) for (body,) in rows]

    contestants = {
        "raw apsw range of 10 + JSON decode": sweep,
        "call(Query) of 10": lambda: db.call("Query", requests[ours()]),
    }
    return table(f"Query of ten 1 KB items, {place}", compare(contestants, 500, rounds))
