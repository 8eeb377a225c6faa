"""For all systems: races overlap, errors are declared, passwords are cheap, and retries are quick."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import fastapi.applications
import pytest
from fastapi.openapi import utils
from fastapi.routing import APIRoute, iter_route_contexts
from tablewright_systems.goalsguild.service import logins

from systems.tests.declared_errors import only_declared_errors
from systems.tests.races import meeting_before_writes
from tablewright.access import procedures


@pytest.fixture(autouse=True, scope="session")
def races_overlap() -> Iterator[None]:
    with meeting_before_writes():
        yield


@pytest.fixture(autouse=True, scope="session")
def errors_are_declared() -> Iterator[None]:
    with only_declared_errors():
        yield


@pytest.fixture(autouse=True, scope="session")
def documents_are_generated_once() -> Iterator[None]:
    """FastAPI takes half a second for the document of a system, which is the same for all applications of a system."""
    known: dict[tuple[Any, ...], tuple[list[Any], dict[str, Any]]] = {}

    def get_openapi(*, routes: Any, **settings: Any) -> dict[str, Any]:
        originals = [route.original_route for route in iter_route_contexts(routes)]
        originals = [route for route in originals if isinstance(route, APIRoute) and route.include_in_schema]
        key = (repr(settings), *map(id, originals))
        if key not in known:
            known[key] = originals, utils.get_openapi(routes=routes, **settings)
        return deepcopy(known[key][1])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fastapi.applications, "get_openapi", get_openapi)
        yield


@pytest.fixture(autouse=True)
def passwords_are_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logins, "_COST", {"n": 2, "r": 1, "p": 1})


@pytest.fixture(autouse=True)
def retries_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Injected faults are random: they do not end sooner when a retry waits for longer."""
    monkeypatch.setattr(procedures, "SHORTEST", procedures.SHORTEST / 10)
    monkeypatch.setattr(procedures, "LONGEST", procedures.LONGEST / 10)
