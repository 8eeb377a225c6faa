"""Pattern examples: the form of a pattern, and parameters with which it finds something, from the stored items."""

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any

from pydantic import BaseModel

from tablewright.access.items.footprint import stored_owner_key
from tablewright.access.items.item_values import key_of
from tablewright.access.items.unique_locks import lock_in, lock_owner
from tablewright.access.items.vault import compute_with_keys
from tablewright.access.procedures import run_sync
from tablewright.access.reads.item_reads import item_at
from tablewright.console.command_lines import MEMORY, command_line
from tablewright.console.open_designs import OpenDesign
from tablewright.console.patterns.pattern_runs import run_pattern
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import VectorIndex
from tablewright.design.patterns import Pattern
from tablewright.design.plans.plans import Plan
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import TablewrightError
from tablewright.generate.samples.candidate_parameters import CandidateParameters

_PREFIX = "#/$defs/"
_MOST_DEPTH = 12
"""Deeper models, which contain themselves, are edited as JSON."""


def form_schema(model: type[BaseModel], secrets: Collection[str] = ()) -> dict[str, Any]:
    """Return the JSON schema of a model: definitions in place of references, `secret: true` on secret fields.

    >>> class Address(BaseModel):
    ...     city: str
    >>> class Person(BaseModel):
    ...     address: Address
    >>> form_schema(Person)["properties"]["address"]["properties"]["city"]["type"]
    'string'
    """
    schema = model.model_json_schema(by_alias=False)
    definitions = schema.pop("$defs", {})
    resolved: dict[str, Any] = _resolved(schema, definitions, 0)
    resolved.setdefault("properties", {})
    for name, member in resolved["properties"].items():
        if name in secrets:
            member.pop("default", None)
            member.pop("examples", None)
            member["secret"] = True
    return resolved


def _resolved(value: Any, definitions: Mapping[str, Any], depth: int) -> Any:
    if isinstance(value, list):
        return [_resolved(element, definitions, depth) for element in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref")
    if isinstance(reference, str) and reference.startswith(_PREFIX):
        if depth >= _MOST_DEPTH:
            return {"type": "object"}
        others = {name: member for name, member in value.items() if name != "$ref"}
        target = definitions[reference.removeprefix(_PREFIX)]
        return _resolved(target | others, definitions, depth + 1)
    return {name: _resolved(member, definitions, depth) for name, member in value.items()}


MOST_PAGES = 6
"""Requests that search for items of the entities of a pattern."""
MOST_TRIES = 12
"""Runs of the pattern that look whether an example finds something."""
SECONDS = 2.0


def example_parameters(opened: OpenDesign, pattern: type[Pattern[Any]]) -> tuple[dict[str, Any] | None, str]:
    """Return the parameters of an example as JSON values, or None; and a sentence for the user.

    Secret parameters are left out: their values are stored as hashes.
    """
    plan = pattern.__plan__
    if not pattern.model_fields:
        return {}, ""
    if secrets := sorted(pattern._secrets()):
        return None, f"{', '.join(secrets)} is secret: only its hash is stored, so enter the value yourself."
    until = time.monotonic() + SECONDS
    first: Pattern[Any] | None = None
    for tries, request in enumerate(_candidates(opened, pattern, until)):
        first = first or request
        if _finds(opened, request):
            return request.model_dump(mode="json"), ""
        if tries + 1 >= MOST_TRIES or time.monotonic() > until:
            break
    if first is not None:
        return first.model_dump(
            mode="json"
        ), "These values are stored, but the pattern finds nothing with them."
    names = " or ".join(layout.entity.__name__ for layout in plan.layouts)
    if opened.location == MEMORY:
        return None, f"No stored {names} was found."
    return None, f"No stored {names} was found. Make samples with: {command_line(opened, 'generate samples')}"


def _finds(opened: OpenDesign, request: Pattern[Any]) -> bool:
    try:
        return bool(run_pattern(opened, request, 1).items)
    except TablewrightError:
        return False


def _candidates(opened: OpenDesign, pattern: type[Pattern[Any]], until: float) -> Iterator[Pattern[Any]]:
    now = datetime.fromtimestamp(opened.db.context.now(), UTC)
    candidates = CandidateParameters(pattern, now)
    for item in _items(opened, pattern.__plan__, until):
        entity = _entity(opened, pattern.__plan__, item)
        if entity is not None:
            yield from candidates.requests(entity, item if pattern.__plan__.clauses else None)


def _items(opened: OpenDesign, plan: Plan, until: float) -> Iterator[Item]:
    """The items that a pattern may find: those with the key attributes of its condition."""
    needed = {clause.attribute for clause in plan.clauses}
    request: dict[str, Any] = {"TableName": opened.db.context.table_name(plan.table), "Limit": 300}
    if isinstance(plan.index, VectorIndex):  # it cannot be scanned
        needed = {*plan.index.partition, plan.index.attribute}
    elif plan.index is not None:
        request["IndexName"] = plan.index.name
    for _ in range(MOST_PAGES):
        reply = opened.db.connection.call("Scan", request)
        yield from (item for item in reply["Items"] if needed <= item.keys())
        if "LastEvaluatedKey" not in reply or time.monotonic() > until:
            return
        request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]


def _entity(opened: OpenDesign, plan: Plan, item: Item) -> Entity | None:
    """The entity of an item; of a lock or a copy, the entity that owns it."""
    context, table = opened.db.context, plan.table
    lock = lock_in(plan.layouts, item)
    owner = lock_owner(*lock, item) if lock else stored_owner_key(table, item)
    if plan.lock is not None and not lock:
        return None
    is_whole = plan.index is None or plan.index.projection == "ALL" or isinstance(plan.index, VectorIndex)
    if owner is not None or not is_whole:
        owned = run_sync(item_at(context, table, owner or key_of(table, item)), opened.db.connection.call)
        if owned is None:
            return None
        item = owned
    for layout in plan.layouts:
        make = partial(context.decoder(layout).make, item)
        with suppress(TablewrightError):
            return run_sync(compute_with_keys(make), opened.db.connection.call)
    return None
