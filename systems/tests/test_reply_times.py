"""Times in the replies of all systems are UTC texts with milliseconds: `2026-01-31T12:00:00.000Z`."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic import TypeAdapter
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.web.authentication import LocalIssuer

from tablewright import connect


def unformatted_times(schema: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of times that pydantic would write with microseconds."""
    if isinstance(schema, list | tuple):
        for item in schema:
            yield from unformatted_times(item, path)
    elif isinstance(schema, dict) and "serialization" not in schema:
        if schema.get("type") == "datetime":
            yield path
        for name, value in schema.items():
            if name not in ("metadata", "config"):
                yield from unformatted_times(value, f"{path}.{name}" if name.endswith("_at") else path)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_every_time_in_a_reply_has_milliseconds(system: System) -> None:
    with connect(system.design, environment=system.environment or "main") as db:
        routes = list(iter_route_contexts(system.build(db, LocalIssuer()).routes))
    models = {
        f"{route.methods} {route.path}": route.original_route.response_model
        for route in routes
        if isinstance(route.original_route, APIRoute)
    }
    assert any(models.values())
    listed = {
        f"{name}{path}"
        for name, model in models.items()
        if model is not None
        for path in unformatted_times(TypeAdapter(model).core_schema)
    }
    assert listed == set()
