"""Problems: what is wrong with a declaration, and how to fix it.

A class that cannot work raises `DesignError` when it is defined. If its table is declared with `literal=True` (a copy
of an existing design document), the problem is recorded in the layout or the plan instead, and `tablewright check`
reports it.
"""

from tablewright.deferred_dataclasses import dataclass
from tablewright.errors import DesignError


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a class."""

    code: str
    """The check that explains it."""
    where: str
    why: str
    fix: str

    def __str__(self) -> str:
        return f"{self.why}; {self.fix}"


class Problems:
    """The problems of one class: each is raised, or recorded if the table is declared literally.

    >>> problems = Problems(literal=True)
    >>> problems.add("TW003", "User", "has no field nick", "did you mean nickname?")
    >>> str(problems.recorded[0])
    'User has no field nick; did you mean nickname?'
    """

    def __init__(self, *, literal: bool) -> None:
        self.literal = literal
        self.recorded: list[Problem] = []

    def add(self, code: str, subject: str, why: str, fix: str, *, field: str | None = None) -> None:
        """Raise the problem, or record it and continue."""
        where = f"{subject}.{field}" if field else subject
        problem = Problem(code, where, f"{subject} {why}", fix)
        if not self.literal:
            raise DesignError(str(problem))
        self.recorded.append(problem)
