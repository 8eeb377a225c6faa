"""The runner: applies every rule to a design, and removes suppressed findings."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from inspect import cleandoc
from pkgutil import iter_modules
from types import ModuleType

from tablewright.checks import rules as package
from tablewright.checks.findings import SEVERITIES, Finding, Suppression, suppressed_by, suppressions_of
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.designs import Design


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule, as declared in its module."""

    code: str
    title: str
    manual: str
    module: ModuleType

    def findings(self, design: Design) -> Iterable[Finding]:
        """The findings in a design."""
        return self.module.check(design) if hasattr(self.module, "check") else ()

    def review(self, matched: Mapping[Suppression, list[Finding]]) -> Iterable[Finding]:
        """The findings about suppressions, each given with the findings that it matches."""
        return self.module.review(matched) if hasattr(self.module, "review") else ()


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The findings, most severe first, and those that are suppressed."""

    findings: tuple[Finding, ...]
    suppressed: tuple[tuple[Finding, Suppression], ...]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    @property
    def has_errors(self) -> bool:
        """Whether there is a finding of severity `error`."""
        return any(finding.severity == "error" for finding in self.findings)


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, by code."""
    modules = (import_module(f"{package.__name__}.{found.name}") for found in iter_modules(package.__path__))
    return tuple(sorted(map(_rule, modules), key=lambda rule: rule.code))


def check(design: Design) -> CheckReport:
    """Apply every rule to a design.

    >>> from tablewright.design.tables import Table
    >>> check(Design("empty", tables=[Table("app", key="id")])).findings
    ()
    """
    found = [finding for rule in rules() for finding in rule.findings(design)]
    suppressions = list(suppressions_of(design))
    matched = {one: [finding for finding in found if one.matches(finding)] for one in suppressions}
    kept, suppressed = [], []
    for finding in found:
        suppression = suppressed_by(finding, suppressions)
        if suppression is None:
            kept.append(finding)
        else:
            suppressed.append((finding, suppression))
    kept += [finding for rule in rules() for finding in rule.review(matched)]
    return CheckReport(tuple(sorted(kept, key=_order)), tuple(suppressed))


def _rule(module: ModuleType) -> Rule:
    return Rule(module.CODE, module.TITLE, cleandoc(module.__doc__ or ""), module)


def _order(finding: Finding) -> tuple[int, str, str]:
    return SEVERITIES.index(finding.severity), finding.code, finding.where
