"""One fixture, `db`: the same tests on memory, on a file, over HTTP, and awaited."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tablewright import Clock, connect
from tablewright.access.async_repository import AsyncRepository
from tablewright.access.repository import Repository
from tests.access import shop
from tests.access.studio import Studio, studio
from tests.server.processes import ServerProcess

START = 4_000_000_000.0
"""The year 2096."""
BACKENDS = (
    "memory",
    "file",
    "http",
    "memory awaited",
    "http awaited",
    # What is awaited is the same for a file as for memory, and a file is the same awaited or not.
    pytest.param("file awaited", marks=pytest.mark.soak),
)


class Awaited:
    """An async repository that a plain test can use: each call runs its loop until it is done."""

    def __init__(self, repository: Repository) -> None:
        self._runner = asyncio.Runner()
        self._repository: AsyncRepository = repository.aio
        self.connection = repository.connection
        self.context = repository.context

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._repository, name)
        return lambda *given, **named: self._runner.run(method(*given, **named))

    def iterate(self, *given: Any, **named: Any) -> Iterator[Any]:
        async def collect() -> list[Any]:
            return [entity async for entity in self._repository.iterate(*given, **named)]

        return iter(self._runner.run(collect()))

    def close(self) -> None:
        self._runner.run(self._repository.close())
        self._runner.close()


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    """The address of a server in memory, shared: each test has an environment of its own.

    `TABLEWRIGHT_ENDPOINT` names another one: see `make peers`.
    """
    if given := os.environ.get("TABLEWRIGHT_ENDPOINT"):
        yield given
        return
    with ServerProcess("--memory") as process:
        yield process.url


@pytest.fixture
def store() -> Iterator[Studio]:
    """The studio in memory, empty."""
    with studio() as opened:
        yield opened


@pytest.fixture
def clock() -> Clock:
    """A frozen clock, far ahead of the server's clock, so that the server deletes no item as expired."""
    return Clock(start=START)


@pytest.fixture(params=BACKENDS)
def db(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Any]:
    """The shop, empty."""
    place, _, awaited = request.param.partition(" ")
    where = tmp_path / "shop.db" if place == "file" else None
    if place == "http":
        where = request.getfixturevalue("endpoint")
    repository = connect(
        shop.gather(), where, environment=f"test-{uuid4().hex[:12]}", clock=clock, create=True
    )
    used = Awaited(repository) if awaited else repository
    yield used
    used.close()
