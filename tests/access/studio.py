"""A small single-table design with everything that a write can change, and access to the whole table."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Annotated, Any, TypeVar

from pydantic import Field

from tablewright import Clock, Faults, embedded
from tablewright.access.context import Context
from tablewright.access.items.footprint import ComparableKey, comparable_key, footprint
from tablewright.access.items.vault import NoVault
from tablewright.access.procedures import Procedure, run_sync
from tablewright.connections import Embedded
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Copy, Keys, Sparse
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.patterns import Get
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item, normalise
from tablewright.errors import InternalFailure, ProvisionedThroughputExceeded

T = TypeVar("T")
START = 1_750_000_000.0

main = Table(
    "studio-{env}",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),
        Index("GSI2", "GSI2PK", "GSI2SK"),
        Index("GSI3", "GSI1PK", "rank"),
        Index("by-city", "city"),
        Index("by-day", "dayPK", "daySK"),
        Index("by-type", "type", "city"),
        Index("turned", "SK", "PK"),
        Index("mixed", "SK", "GSI1SK"),
    ],
    types={"rank": "N"},
    ttl="expiresAt",
)


class Artist(Entity, table=main, type="ARTIST", schema_version=3):
    """Unique fields; overloaded, sparse, plain and derived index keys; counters, automatic fields, version, expiry."""

    studio: str
    artist_id: str
    email: Annotated[str | None, markers.Unique(normalise=str.casefold)] = None
    nickname: Annotated[str | None, markers.Unique(within=("studio", "city"))] = None
    city: str | None = None
    rank: int | None = None
    level: int = 1
    due_at: Timestamp | None = None
    is_open: bool = False
    friends: list[str] = Field(default_factory=list)
    tags: set[str] = Field(default_factory=set)
    likes: Annotated[int, markers.Counter()] = 0
    views: Annotated[int, markers.Counter()] = 0
    created_at: Timestamp = markers.now()
    updated_at: Timestamp = markers.touched()
    version: Annotated[int, markers.Version()] = 0
    expires_at: Annotated[int | None, markers.Ttl(after=timedelta(days=30), of="updated_at")] = None

    keys = Keys(
        primary=("STUDIO#{studio}", "ARTIST#{artist_id}"),
        GSI1=("CITY#{city}", "{level:04}#{artist_id}"),
        GSI2=Sparse("OPEN#{studio}", "{created_at}", when="is_open"),
        GSI3=("CITY#{city}", "{rank}"),
        indexes={
            "by-day": Sparse(
                "DUE#{due_at:%Y%m%d}#{artist_id:shard(3)}", "{email:lower}#{due_at}", when=("due_at", "level")
            ),
            "mixed": ("ARTIST#{artist_id}", "{level:04}#{artist_id}"),
        },
    )
    befriended = Copy(
        each="friends",
        name="friend",
        primary=("FRIEND#{friend}", "OF#{studio}#{artist_id}"),
        GSI1=("FRIEND#{friend}", "{updated_at}"),
        indexes={"by-day": ("SEEN#{updated_at:%Y-%m-%dT%H}", "{friend:upper}#{level:02d}")},
    )
    card = Copy(
        type="CARD",
        fields=("level", "likes"),
        primary=("CARDS#{studio}", "{artist_id}"),
        GSI2=Sparse("CARD#{level}", "{artist_id}", when={"is_open": True}),
    )


class Room(Entity, table=main, type="ROOM"):
    """One item without dependents: each write is one call."""

    room_id: str
    name: str = "room"
    owner: str | None = None
    seats: int = 1
    taken: Annotated[int, markers.Counter()] = 0

    keys = Keys(primary=("ROOM#{room_id}", "ROOM"), GSI1=("OWNER#{owner}", "{name}"))


class Note(Entity, table=main, type="NOTE"):
    """An entity that a batch may write."""

    note_id: str
    text: str = "text"

    keys = Keys(primary=("NOTE#{note_id}", "NOTE"), GSI1=("TEXT#{text}", "{note_id}"))


class Ledger(Entity, table=main, type="LEDGER"):
    """One item with a version."""

    ledger_id: str
    total: int = 0
    version: Annotated[int, markers.Version()] = 0

    keys = Keys(primary=("LEDGER#{ledger_id}", "LEDGER"))


class ArtistById(Get[Artist]):
    studio: str
    artist_id: str


class RoomAt(Get[Room]):
    number: str
    key = "PK = ROOM#{number} AND SK = ROOM"


class Studio:
    """A store with the design's table; procedures run on it."""

    def __init__(self, db: Embedded, environment: str = "test") -> None:
        self.db = db
        self.context = Context(db.clock.now, environment)
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.clock = db.clock

    def run_sync(self, procedure: Procedure[T]) -> T:
        return run_sync(procedure, self._call, lambda seconds: None)

    def _call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.calls.append((operation, request))
        return self.db.call(operation, request)

    def operations(self) -> list[str]:
        """The operations called since the last call of this method."""
        operations, self.calls = [operation for operation, _ in self.calls], []
        return operations

    def table(self) -> dict[ComparableKey, Item]:
        """Every item of the table, in a form that can be compared."""
        request = {"TableName": main.physical_name("test"), "ConsistentRead": True}
        while True:
            try:
                items = self.db.call("Scan", request)["Items"]
                return {comparable_key(main, item): plain(item) for item in items}
            except (ProvisionedThroughputExceeded, InternalFailure):  # faults hit the test's own reads too
                continue

    def index(self, name: str) -> list[Item]:
        """Every item of an index."""
        items = self.db.call("Scan", {"TableName": main.physical_name("test"), "IndexName": name})["Items"]
        return list(items)


class Flaky:
    """A connection whose first calls fail as listed. Each failure states whether the call is executed first."""

    def __init__(self, store: Studio, *failures: tuple[Exception | None, bool]) -> None:
        self.store = store
        self.failures = list(failures)
        self.tokens: list[str] = []
        self.pauses: list[float] = []

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.tokens.append(request.get("ClientRequestToken", ""))
        if not self.failures:
            return self.store.db.call(operation, request)
        failure, done = self.failures.pop(0)
        reply = self.store.db.call(operation, request) if done else {}
        if failure is not None:
            raise failure
        return reply

    def run_sync(self, procedure: Any) -> Any:
        return run_sync(procedure, self.call, self.pauses.append)


class Interrupted:
    """A connection on which another writer acts once, just before the first call of an operation."""

    def __init__(self, store: Studio, operation: str, other: Callable[[], object]) -> None:
        self.store = store
        self.operation = operation
        self.other: Callable[[], object] | None = other
        self.operations: list[str] = []

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == self.operation and self.other is not None:
            other, self.other = self.other, None
            other()
        self.operations.append(operation)
        return self.store.db.call(operation, request)

    def run_sync(self, procedure: Procedure[T]) -> T:
        return run_sync(procedure, self.call, lambda seconds: None)


def left_by(*entities: Entity) -> dict[ComparableKey, Item]:
    """The items that fresh puts of these entities store in a table."""
    items = [item for entity in entities for item in footprint(entity, NoVault()).items()]
    assert len({comparable_key(main, item) for item in items}) == len(items), "two entities share an item"
    return {comparable_key(main, item): plain(item) for item in items}


def plain(item: Item) -> Item:
    return {name: normalise(value) for name, value in item.items()}


@contextmanager
def studio(faults: Faults | None = None) -> Iterator[Studio]:
    with embedded(clock=Clock(START), faults=faults) as db:
        db.call("CreateTable", main.definition("test"))
        specification = {"Enabled": True, "AttributeName": "expiresAt"}
        db.call("UpdateTimeToLive", {"TableName": "studio-test", "TimeToLiveSpecification": specification})
        yield Studio(db)
