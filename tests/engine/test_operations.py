"""Operations are found by name, and loaded only then."""

import subprocess
import sys

import pytest

from tablewright.engine.operations import MODULES, find_operation


@pytest.mark.parametrize("module", MODULES)
def test_every_operation_is_found_under_its_own_name(module: str) -> None:
    name = "".join(word.capitalize() for word in module.split("_"))
    operation = find_operation(name)
    assert operation is not None
    assert operation.name == name


def test_importing_the_database_imports_no_operation() -> None:
    """All of them together take longer to load than everything else."""
    program = (
        "import sys, tablewright.engine.database as d\n"
        "print([name for name in sys.modules if name.startswith('tablewright.engine.operations.')])"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
