"""Fixtures of the tests of exports."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.engine.database import Database
from tests.engine.archive import archive


@pytest.fixture(params=["memory", "file"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "data.db" if request.param == "file" else None
    with archive(tmp_path / "buckets", path) as database:
        yield database
