"""The tests that run first exist: one that was moved would run at any time, without an error."""

from pathlib import Path

from tests.run_order import FIRST

ROOT = Path(__file__).parents[1]


def test_every_place_exists() -> None:
    assert [place for place in FIRST if not (ROOT / place).exists()] == []
