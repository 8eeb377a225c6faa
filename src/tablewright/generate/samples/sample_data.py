"""Sample data: believable entities of a design, from a seeded random generator.

    samples = sample_data(design, count=20, seed=7)
    samples.write(db)

The entities are written to an in-memory database first, so that keys, copies and locks are real and everything is
valid. Times are relative to `now`: with the same seed and the same `now`, the data is the same. Ciphertexts of
encrypted fields differ each time.

For each access pattern there is a sample request. Its parameters are read from the keys of the stored items, tried, and
verified: a request is reported only if it found something. A pattern without one says why.
"""

import json
import time
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from tablewright.access.connect import connect
from tablewright.access.items.footprint import comparable_key, entity_values, primary_key
from tablewright.access.items.unique_locks import lock_in, lock_owner
from tablewright.access.repository import Repository
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.layouts.layouts import OWNER
from tablewright.design.patterns import Nearest, Pattern
from tablewright.design.plans.plans import Plan
from tablewright.design.tables import Table
from tablewright.dynamodb.clock import Clock
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import AlreadyExists, TablewrightError, UniqueViolation
from tablewright.generate.samples.candidate_parameters import CandidateParameters
from tablewright.generate.samples.entity_generator import EntityGenerator

_TRIES = 400
"""Requests that are tried for one pattern."""


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """A pattern, and either a request that finds samples, or the reason why there is none."""

    plan: Plan
    request: Pattern[Any] | None
    found: tuple[Any, ...] = ()
    """The entities that it finds, or rows if the pattern reads only some fields."""
    problem: str = ""


def sample_requests(db: Repository, entities: Sequence[Entity]) -> Iterator[SampleRequest]:
    """A request for each pattern of the design."""
    for pattern in db.design.patterns:
        yield _Search(db, pattern, entities).result()


class _Search:
    """Searches parameters for one pattern."""

    def __init__(self, db: Repository, pattern: type[Pattern[Any]], entities: Sequence[Entity]) -> None:
        self._db = db
        self._pattern = pattern
        self._plan = pattern.__plan__
        returned = {layout.entity for layout in self._plan.layouts}
        self._entities = [entity for entity in entities if type(entity) in returned]
        self._now = datetime.fromtimestamp(db.context.now(), UTC)

    def result(self) -> SampleRequest:
        """The first request that finds something."""
        problem = ""
        for request in islice(self._requests(), _TRIES):
            try:
                results = self._run(request)
            except TablewrightError as error:
                problem = problem or str(error).splitlines()[0]
                continue
            if results:
                return SampleRequest(self._plan, request, results)
        return SampleRequest(self._plan, None, (), problem or self._reason())

    def _reason(self) -> str:
        if not self._entities:
            return "there are no samples of what it returns"
        if self._plan.filter is not None:
            return f'no sample passes its filter "{self._plan.filter.source}"'
        return "no sample has a key that it reads"

    def _run(self, request: Pattern[Any]) -> tuple[Any, ...]:
        if self._plan.kind in ("get", "find"):
            one = self._db.run(request)  # type: ignore[call-overload]
            return () if one is None else (one,)
        if self._plan.pattern.fields:
            return tuple(self._db.rows(request))
        if isinstance(request, Nearest):
            return tuple(match.entity for match in self._db.run(request))
        return tuple(self._db.iterate(request, unknown="skip"))  # type: ignore[arg-type]

    def _requests(self) -> Iterator[Pattern[Any]]:
        candidates = CandidateParameters(self._pattern, self._now)
        for entity, item in self._samples():
            yield from candidates.requests(entity, item)

    def _samples(self) -> Iterator[tuple[Entity, Item | None]]:
        """The entities with each of their items: the main item, and copies with other keys."""
        table = self._plan.table
        stored = self._db.connection.call("Scan", {"TableName": self._db.context.table_name(table)})["Items"]
        needed = {clause.attribute for clause in self._plan.clauses}
        readable = [item for item in stored if needed <= item.keys()]
        known = _entities_by_key(self._entities)
        hashed = [] if known else self._entities
        for item in readable:
            lock = lock_in(self._plan.layouts, item)
            key = (lock_owner(*lock, item) if lock else item.get(OWNER, {}).get("M")) or item
            found = known.get(_key_contents(table, key))
            yield from ((entity, item) for entity in ([found] if found is not None else hashed))
        if not needed:
            yield from ((entity, None) for entity in self._entities)


def _entities_by_key(entities: Iterable[Entity]) -> dict[tuple[str, ...], Entity]:
    """The entities by the texts of their primary keys; without those whose keys contain a hash."""
    return {
        _key_contents(entity.layout.table, primary_key(entity.layout, entity_values(entity))): entity
        for entity in entities
        if not any(name in entity.layout.secrets for name in entity.layout.primary.names)
    }


def _key_contents(table: Table, key: Item) -> tuple[str, ...]:
    return tuple(str(content) for _, _, content in comparable_key(table, key))


@dataclass(frozen=True, slots=True)
class SampleData:
    """Sample entities of a design, their items, and a request of each pattern that finds some of them."""

    entities: tuple[Entity, ...]
    """Each after those that it refers to."""
    items: Mapping[str, tuple[Item, ...]]
    """The items of each table, by the name of the table in the design; with copies and locks."""
    requests: tuple[SampleRequest, ...]
    """One for each pattern, in the order of the design."""

    def write(self, db: Repository) -> int:
        """Create the entities in a database; return how many are new. Entities that exist are left alone."""
        return sum(_create(db, entity) for entity in self.entities)


def sample_data(design: Design, count: int = 10, seed: int = 1, now: datetime | None = None) -> SampleData:
    """At least `count` entities of each class; more where patterns need them, fewer where no more keys exist."""
    clock = Clock(now or datetime.fromtimestamp(int(time.time()), UTC))
    with connect(design, environment="dev", clock=clock) as db:
        entities = tuple(EntityGenerator(db, seed).generate(count))
        items = {table.name: tuple(_items(db, table)) for table in design.tables}
        requests = tuple(sample_requests(db, entities))
    return SampleData(entities, items, requests)


def samples(
    design: Design, count: int = 10, seed: int = 1, environment: str = "dev", now: datetime | None = None
) -> str:
    """The items of sample entities as DynamoDB JSON, by table."""
    made = sample_data(design, count, seed, now)
    items = {table.physical_name(environment): made.items[table.name] for table in design.tables}
    return json.dumps(items, indent=2, default=_base64) + "\n"


def _create(db: Repository, entity: Entity) -> bool:
    try:
        db.create(entity)
    except (AlreadyExists, UniqueViolation):
        return False
    return True


def _items(db: Repository, table: Table) -> Iterator[Item]:
    request: dict[str, Any] = {"TableName": db.context.table_name(table)}
    while True:
        reply = db.connection.call("Scan", request)
        yield from reply["Items"]
        if "LastEvaluatedKey" not in reply:
            return
        request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]


def _base64(value: Any) -> str:
    return b64encode(value).decode()
