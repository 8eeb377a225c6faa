"""The store fixture: every lifecycle test runs in memory and over HTTP.

`TABLEWRIGHT_ENDPOINT` names another server for the tests over HTTP: see `make peers`.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from uuid import uuid4

import pytest

from tablewright import Clock, Connection, embedded
from tablewright.connections.remote import Remote
from tests.lifecycle.stores import Store
from tests.server.processes import ServerProcess

_NUMBERS = count(1)
_RUN = uuid4().hex[:6]
"""Processes of tests may share a server."""
START = datetime(2100, 1, 1, tzinfo=UTC)
"""The frozen clock of a test, far ahead of the server's: the server deletes no item as expired."""


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    if given := os.environ.get("TABLEWRIGHT_ENDPOINT"):
        yield given
        return
    with ServerProcess("--memory") as process:
        yield process.url


@pytest.fixture(params=["memory", "server"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    clock = Clock(start=START)
    connection: Connection
    if request.param == "memory":
        connection = embedded(clock=clock)
    else:
        connection = Remote("us-east-1", request.getfixturevalue("endpoint"), clock=clock)
    yield Store(connection, f"t{_RUN}-{next(_NUMBERS)}-", clock)
    connection.close()
