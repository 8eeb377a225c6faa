"""Sample data: believable entities of a design, from a seeded random generator.

    samples = sample_data(design, count=20, seed=7)
    samples.write(db)

The entities are written to an in-memory database first, so that keys, copies and locks are real and everything is
valid. Times are relative to `now`: with the same seed and the same `now`, the data is the same. Ciphertexts of
encrypted fields differ each time.
"""

import json
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tablewright.access.connect import connect
from tablewright.access.repository import Repository
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.clock import Clock
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import AlreadyExists, UniqueViolation
from tablewright.generate.samples.entity_generator import EntityGenerator
from tablewright.generate.samples.sample_requests import SampleRequest, sample_requests


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
    found = {table.physical_name(environment): made.items[table.name] for table in design.tables}
    return json.dumps(found, indent=2, default=_base64) + "\n"


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
