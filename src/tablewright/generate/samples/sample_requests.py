"""Sample requests: for each access pattern, parameters with which it finds a sample.

The parameters are read from the keys of the stored items, tried, and verified: a request is reported only if it found
something. A pattern without one says why.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from tablewright.access.items.computed_values import entity_values
from tablewright.access.items.footprint import comparable_key, primary_key
from tablewright.access.items.unique_locks import lock_in, lock_owner
from tablewright.access.repository import Repository
from tablewright.design.entities.entities import Entity
from tablewright.design.layouts.reserved_attributes import OWNER
from tablewright.design.patterns.patterns import Pattern
from tablewright.design.plans.plans import Plan
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import TablewrightError
from tablewright.generate.samples.candidate_parameters import CandidateParameters

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
                found = self._run(request)
            except TablewrightError as error:
                problem = problem or str(error).splitlines()[0]
                continue
            if found:
                return SampleRequest(self._plan, request, found)
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
