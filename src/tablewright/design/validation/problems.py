"""Complaints: what is wrong with a declaration, and what to do about it.

A declaration that cannot work is refused when its class is defined. On a table declared with `literal=True`, as a
document has it, the complaint is kept in the layout or the plan instead, and `tablewright check` reports it.
"""

from dataclasses import dataclass

from tablewright.errors import DesignError


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing that is wrong."""

    code: str
    """The check that explains it."""
    where: str
    why: str
    fix: str

    def __str__(self) -> str:
        return f"{self.why}; {self.fix}"


class Complaints:
    """Refuses what is wrong with a class; or, when it is declared literally, takes note of it.

    >>> noted = Complaints(literal=True)
    >>> noted.add("TW003", "User", "has no field nick", "did you mean nickname?")
    >>> str(noted.noted[0])
    'User has no field nick; did you mean nickname?'
    """

    def __init__(self, *, literal: bool) -> None:
        self.literal = literal
        self.noted: list[Complaint] = []

    def add(self, code: str, subject: str, why: str, fix: str, *, field: str | None = None) -> None:
        """Raise, or take note and go on."""
        where = f"{subject}.{field}" if field else subject
        complaint = Complaint(code, where, f"{subject} {why}", fix)
        if not self.literal:
            raise DesignError(str(complaint))
        self.noted.append(complaint)
