"""Findings: what the rules report about a design."""

from collections.abc import Iterator
from dataclasses import field
from typing import Literal

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.designs import Design

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""From the most severe: does not work; will cause problems; note."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem that a rule found."""

    code: str
    severity: Severity
    where: str
    """The entity or its field (`User.email`), the pattern (`UsersByRole`), the table or its index (`main.GSI1`)."""
    why: str
    fix: str
    subject: type | None = field(default=None, compare=False, repr=False)
    """The class it is about, to find its place in the source code."""


def recorded_problems(design: Design, code: str) -> Iterator[Finding]:
    """The problems that were recorded when classes were defined, for tables declared literally."""
    for entity in design.entities:
        for problem in entity.layout.problems:
            if problem.code == code:
                yield Finding(code, "error", problem.where, problem.why, problem.fix, entity)
    for pattern in design.patterns:
        for problem in pattern.__plan__.problems:
            if problem.code == code:
                yield Finding(code, "error", problem.where, problem.why, problem.fix, pattern)
