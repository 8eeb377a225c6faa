"""For all tests of the engine: short steps of jobs, and nothing but the storage in write transactions."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from tablewright.engine import (
    feature_list as feature_list,  # registers the features for tests of single modules
)
from tablewright.engine.core.state import row_batches
from tablewright.engine.storage.store import Store
from tests.engine import transaction_guard


@pytest.fixture(autouse=True)
def steps_end_by_rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step ends after a number of rows, never because the machine is slow; soak tests measure the real steps."""
    if request.node.get_closest_marker("soak") is None:
        monkeypatch.setattr(row_batches, "MAX_SECONDS", 600.0)


@pytest.fixture(autouse=True)
def storage_only_in_write_transactions(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "crash" in request.path.parts:
        return  # there SQLite's own file calls go through Python
    transaction_guard.install()
    monkeypatch.setattr(time, "sleep", transaction_guard.guarded_sleep(time.sleep))
    for name in ("write", "stage"):
        monkeypatch.setattr(Store, name, _guarded(getattr(Store, name)))


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    def call(store: Store, work: Callable[[Any], Any], *arguments: Any, **options: Any) -> Any:
        return method(store, transaction_guard.guarded(work), *arguments, **options)

    return call
