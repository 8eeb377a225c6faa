"""DEVIATIONS.md names only tests that exist."""

import re
from pathlib import Path

import tablewright_systems.boards

HERE = Path(__file__).parent
TEXT = (Path(tablewright_systems.boards.__file__).parent / "DEVIATIONS.md").read_text()


def named() -> list[tuple[str, str]]:
    """Modules and tests as the text names them; a test alone belongs to the module before it."""
    found = []
    module = ""
    for part in re.findall(r"`((?:test_|\.\.\._)[\w.:]*)`", TEXT):
        room, colons, test = part.rpartition("::")
        if part in {path.stem for path in HERE.glob("test_*.py")}:
            module, test = part, ""
        elif colons:
            module = room
        found.append((module, test))
    return found


def test_every_named_test_exists() -> None:
    assert len(named()) > 20
    for module, test in named():
        source = (HERE / f"{module}.py").read_text()
        wanted = re.escape(test).replace(r"\.\.\.", r"\w*")
        assert not test or re.search(rf"^def {wanted}\(", source, re.MULTILINE), f"{module}::{test}"
