"""Fixtures of the tests of bulk operations."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.engine.database import Database
from tablewright.engine.features.bulk import bulk_put_job
from tests.engine.archive import INDEXED, archive, create


@pytest.fixture(params=["memory", "file"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "data.db" if request.param == "file" else None
    with archive(tmp_path / "buckets", path) as database:
        create(database, "users", INDEXED)
        yield database


@pytest.fixture(autouse=True)
def steps_of_bulk_operations_end_by_rows(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in `tests.engine.conftest`."""
    if request.node.get_closest_marker("soak") is None:
        monkeypatch.setattr(bulk_put_job, "MAX_SECONDS", 600.0)
