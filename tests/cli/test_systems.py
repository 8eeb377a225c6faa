"""Finding the systems."""

import sys

import pytest

from tablewright.cli.systems import find_systems, require_systems
from tablewright.errors import UsageError


def test_systems_by_name() -> None:
    assert [system.name for system in find_systems(["student_hub", "boards"])] == ["student_hub", "boards"]
    assert len(find_systems([])) == 5
    with pytest.raises(UsageError, match="unknown system 'board'; the systems are: boards, listbackup"):
        find_systems(["board"])


def test_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jwt", None)
    with pytest.raises(UsageError, match=r"not installed; run: pip install 'tablewright\[systems\]'"):
        require_systems()
