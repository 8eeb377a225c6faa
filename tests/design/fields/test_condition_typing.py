"""Conditions are statically typed: type checkers run on a sample that includes mistakes.

Every mistake in the sample carries an ignore, and an ignore that nothing needs is an error; so both right and wrong
conditions are tested.
"""

from pathlib import Path

from tests.access.test_typing import check_with_mypy, check_with_pyright

SAMPLE = Path(__file__).parent / "typed_conditions.py"


def test_conditions_pass_mypy() -> None:
    check_with_mypy(SAMPLE)


def test_conditions_pass_pyright(tmp_path: Path) -> None:
    check_with_pyright(SAMPLE, tmp_path)
