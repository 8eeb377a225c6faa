"""Problems are raised, or recorded for tables declared literally."""

import pytest

from tablewright.design.problems import Problem, Problems
from tablewright.errors import DesignError


def test_a_problem_is_raised() -> None:
    with pytest.raises(DesignError, match=r"^User has no field nick; did you mean nickname\?$"):
        Problems(literal=False).add("TW003", "User", "has no field nick", "did you mean nickname?")


def test_problems_of_a_literal_table_are_recorded() -> None:
    problems = Problems(literal=True)
    problems.add("TW003", "User", "has no field nick", "add it")
    problems.add("TW101", "User", "is wrong", "fix it", field="tags")
    assert problems.recorded == [
        Problem("TW003", "User", "User has no field nick", "add it"),
        Problem("TW101", "User.tags", "User is wrong", "fix it"),
    ]
