"""Each DEVIATIONS.md of these systems names tests by a part of their names; the tests exist."""

import re
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


def named_tests(system: str) -> list[str]:
    """Return the parts of test names in the last column of each table row."""
    text = (SYSTEMS / system / "DEVIATIONS.md").read_text()
    cells = [row.rstrip(" |").rpartition("|")[2] for row in text.splitlines() if row.startswith("| ")]
    return [
        name for cell in cells for found in REFERENCES.findall(cell) for name in re.findall(r"`(\w+)`", found)
    ]


@pytest.mark.parametrize("system", ["student_hub", "goalsguild", "collabhub"])
def test_every_named_test_exists(system: str) -> None:
    files = [
        *(TESTS / system).glob("test_*.py"),
        TESTS.parents[1] / "tests" / "planning" / f"test_{system}.py",
    ]
    tests = "\n".join(file.read_text() for file in files if file.exists())
    names = named_tests(system)
    assert len(names) > 30
    assert [name for name in names if not re.search(rf"def test_\w*{name}", tests)] == []
