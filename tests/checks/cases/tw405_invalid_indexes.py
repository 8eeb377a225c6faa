from tablewright.design.designs import Design
from tablewright.design.indexes import Index
from tablewright.design.tables import Table

CODE = "TW405"


def with_indexes(name: str, *indexes: Index, key: tuple[str, ...] = ("PK", "SK")) -> Design:
    return Design(name, tables=[Table("main", key=key, indexes=indexes)])


def global_indexes(count: int) -> list[Index]:
    return [Index(f"GSI{number}", f"G{number}") for number in range(count)]


def local_indexes(count: int) -> list[Index]:
    return [Index(f"LSI{number}", "PK", f"L{number}", local=True) for number in range(count)]


names = [f"a{number}" for number in range(51)]

passes = [
    with_indexes("as many as allowed", *global_indexes(20), *local_indexes(5)),
    with_indexes(
        "100 projected", Index("one", "A", projection=names[:50]), Index("two", "B", projection=names[:50])
    ),
]
fails = [
    (
        with_indexes("6 local", *local_indexes(6)),
        [("error", "main", "6 local indexes, and DynamoDB allows 5")],
    ),
    (with_indexes("21 global", *global_indexes(21)), [("error", "main", "21 global indexes")]),
    (
        with_indexes("projections", Index("one", "A", projection=names), Index("two", "B", projection=names)),
        [("error", "main", "name 102 projected attributes")],
    ),
    (
        with_indexes("another partition", Index("by-day", "day", "SK", local=True)),
        [("error", "main.by-day", "partition key day; that of main is PK")],
    ),
    (
        with_indexes("no sort key", Index("by-day", "PK", local=True)),
        [("error", "main.by-day", "has 0 sort key")],
    ),
    (
        with_indexes("table without sort key", Index("by-day", "PK", "day", local=True), key=("PK",)),
        [("error", "main.by-day", "main, which has no sort key")],
    ),
]
