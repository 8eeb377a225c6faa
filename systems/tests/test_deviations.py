"""Each DEVIATIONS.md of these systems names tests, or parts of their names; the tests exist."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest
import tablewright_systems

TESTS = Path(__file__).parent
SYSTEMS = Path(tablewright_systems.__file__).parent
GROUPS = (
    r"(?:startups|applications|conversations|notifications|bans|stripe|races|rules|faults|api|rooms|goals|logins|feedback"
    r"|recovery|commands|rows|older|jobs|mail|planning)"
)
REFERENCES = re.compile(rf"\b{GROUPS}((?:(?:,| and) {GROUPS})*(?:,? `[a-z]\w*`)+)")
WHOLE_NAME = re.compile(r"`((?:[\w/]*test_|\.\.\._)[\w.:*/]*)`")


def cells(system: str) -> list[str]:
    """Return the last column of each table row."""
    text = (SYSTEMS / system / "DEVIATIONS.md").read_text()
    return [row.rstrip(" |").rpartition("|")[2] for row in text.splitlines() if row.startswith("| ")]


@pytest.mark.parametrize("system", ["student_hub", "goalsguild", "collabhub"])
def test_tests_named_by_a_part_exist(system: str) -> None:
    files = [
        *(TESTS / system).glob("test_*.py"),
        TESTS.parents[1] / "tests" / "planning" / f"test_{system}.py",
    ]
    tests = "\n".join(file.read_text() for file in files if file.exists())
    names = [
        name
        for cell in cells(system)
        for group in REFERENCES.findall(cell)
        for name in re.findall(r"`(\w+)`", group)
    ]
    assert len(names) > 30
    assert [name for name in names if not re.search(rf"def test_\w*{name}", tests)] == []


@pytest.mark.parametrize("system", ["boards", "listbackup"])
def test_tests_named_in_full_exist(system: str) -> None:
    names = [name for cell in cells(system) for name in WHOLE_NAME.findall(cell)]
    assert len(names) > 20
    assert [name for name in names if not exists(system, name)] == []


def exists(system: str, name: str) -> bool:
    """Return whether a module or a test exists: `test_rules`, `test_rules::test_r8_...`, `test_r3_*`."""
    module, colons, test = name.rpartition("::")
    stem = Path(module or test).stem
    named = list((TESTS / system).rglob(f"{stem}.py"))
    if not colons and named:
        return True
    files = named if colons else (TESTS / system).rglob("test_*.py")
    return any(
        fnmatch(function, test.replace("...", "*"))
        for file in files
        for function in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)
    )
