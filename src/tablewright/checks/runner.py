"""The runner: every rule over a design, less what is suppressed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import cleandoc
from pkgutil import iter_modules
from types import ModuleType

from tablewright.checks import rules as room
from tablewright.checks.findings import SEVERITIES, Finding
from tablewright.checks.suppressions import Suppression, silenced_by, suppressions_of
from tablewright.design.designs import Design


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule, as its file tells it."""

    code: str
    title: str
    manual: str
    module: ModuleType

    def findings(self, design: Design) -> Iterable[Finding]:
        """What it finds in a design."""
        return self.module.check(design) if hasattr(self.module, "check") else ()

    def review(self, matched: Mapping[Suppression, list[Finding]]) -> Iterable[Finding]:
        """What it finds in the suppressions, each with the findings that it matches."""
        return self.module.review(matched) if hasattr(self.module, "review") else ()


@dataclass(frozen=True, slots=True)
class Report:
    """What is wrong with a design, the worst first; and what was silenced."""

    findings: tuple[Finding, ...]
    suppressed: tuple[tuple[Finding, Suppression], ...]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    @property
    def has_errors(self) -> bool:
        """Whether anything in it cannot work."""
        return any(finding.severity == "error" for finding in self.findings)


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, by code."""
    modules = (import_module(f"{room.__name__}.{found.name}") for found in iter_modules(room.__path__))
    return tuple(sorted(map(_rule, modules), key=lambda rule: rule.code))


def check(design: Design) -> Report:
    """Run every rule over a design.

    >>> from tablewright.design.tables.tables import Table
    >>> check(Design("empty", tables=[Table("app", key="id")])).findings
    ()
    """
    found = [finding for rule in rules() for finding in rule.findings(design)]
    suppressions = list(suppressions_of(design))
    matched = {one: [finding for finding in found if one.matches(finding)] for one in suppressions}
    kept, suppressed = [], []
    for finding in found:
        silence = silenced_by(finding, suppressions)
        if silence is None:
            kept.append(finding)
        else:
            suppressed.append((finding, silence))
    kept += [finding for rule in rules() for finding in rule.review(matched)]
    return Report(tuple(sorted(kept, key=_order)), tuple(suppressed))


def _rule(module: ModuleType) -> Rule:
    return Rule(module.CODE, module.TITLE, cleandoc(module.__doc__ or ""), module)


def _order(finding: Finding) -> tuple[int, str, str]:
    return SEVERITIES.index(finding.severity), finding.code, finding.where
