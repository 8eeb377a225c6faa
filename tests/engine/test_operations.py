"""Operations are found by name, and loaded only then."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from types import ModuleType

import pytest

from tablewright.engine.core import operations
from tablewright.engine.core.operations import find_operation
from tablewright.engine.feature_list import operation_names
from tests.thread_switching import frequent_thread_switches


@pytest.mark.parametrize("name", operation_names())
def test_every_operation_is_found_under_its_own_name(name: str) -> None:
    operation = find_operation(name)
    assert operation is not None
    assert operation.name == name


def test_importing_the_database_imports_no_operation() -> None:
    """Loading all operations takes longer than loading the rest of the engine."""
    program = (
        "import sys, tablewright.engine.database\n"
        "from tablewright.engine.core.plugs import OPERATIONS\n"
        "print([name for name in sys.modules if name in OPERATIONS.values()])"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_threads_import_one_operation_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["GetItem", "PutItem", "Query", "Scan"]
    ready = threading.Barrier(len(names))
    importing: list[str] = []

    def import_alone(name: str) -> ModuleType:
        importing.append(name)
        for _ in range(1000):  # time for another thread to begin
            assert importing == [name]
        importing.clear()
        return import_module(name)

    def find(name: str) -> operations.Operation | None:
        ready.wait()
        return find_operation(name)

    monkeypatch.setattr(operations, "_LOADED", {})
    monkeypatch.setattr(operations, "import_module", import_alone)
    with frequent_thread_switches(), ThreadPoolExecutor(len(names)) as pool:
        found = list(pool.map(find, names))
    assert [each and each.name for each in found] == names
