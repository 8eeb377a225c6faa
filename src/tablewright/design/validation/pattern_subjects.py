"""Subjects of pattern rules: the pattern that is being compiled, with what the rules need to know of it."""

from collections.abc import Mapping
from typing import Any

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.layouts.layouts import Layout
from tablewright.design.plans.pattern_settings import PatternSettings
from tablewright.design.plans.plans import Kind, parameter_type
from tablewright.design.problems import Problems
from tablewright.design.tables.tables import Table


@dataclass(frozen=True, slots=True)
class PatternSubject:
    """A pattern that is being compiled."""

    pattern: type[PatternSettings]
    kind: Kind
    layouts: tuple[Layout, ...]
    problems: Problems

    @property
    def table(self) -> Table:
        """The table it reads."""
        return self.layouts[0].table

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Its parameters, by name."""
        return self.pattern.model_fields

    def report(self, code: str, why: str, fix: str) -> None:
        """Report a problem of the pattern."""
        self.problems.add(code, self.pattern.__name__, why, fix)

    def type_of(self, name: str) -> Any:
        """The type of a parameter."""
        return parameter_type(self.pattern, self.kind, name)
