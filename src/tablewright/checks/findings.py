"""Findings: what the rules report about a design.

Suppressions: findings that are known and accepted, each with its reason.
"""

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any, Literal

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.patterns import Pattern

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


@dataclass(frozen=True, slots=True)
class Suppression:
    """A code that is suppressed in one place.

    >>> email = Finding("TW501", "warning", "User.email", "...", "...")
    >>> Suppression("TW501", "User", "public").matches(email), Suppression("TW501", "Use", "").matches(email)
    (True, False)
    """

    code: str
    where: str
    """The place, as in `Finding.where`; empty is everywhere."""
    reason: str
    subject: type | None = None

    def matches(self, finding: Finding) -> bool:
        """Whether it applies to a finding: in that place, or in a part of it."""
        return finding.code == self.code and (
            self.where in ("", finding.where) or finding.where.startswith(f"{self.where}.")
        )

    @property
    def key(self) -> str:
        """The suppression as written in a design."""
        return f"{self.code}:{self.where}" if self.where else self.code


def suppressions_of(design: Design) -> Iterator[Suppression]:
    """The suppressions of the design and of its classes."""
    for key, reason in design.suppress.items():
        code, _, where = key.partition(":")
        yield Suppression(code, where, reason)
    subjects: list[type[Entity] | type[Pattern[Any]]] = [*design.entities, *design.patterns]
    for subject in subjects:
        for key, reason in subject.suppress.items():
            code, _, part = key.partition(":")
            where = f"{subject.__name__}.{part}" if part else subject.__name__
            yield Suppression(code, where, reason, subject)


def suppressed_by(finding: Finding, suppressions: Iterable[Suppression]) -> Suppression | None:
    """The first suppression with a reason that matches a finding, or None."""
    return next((one for one in suppressions if one.reason.strip() and one.matches(finding)), None)
