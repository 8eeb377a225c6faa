"""Subjects of rules: the class or the pattern that rules are checked for, with what the rules need to know of it."""

from collections.abc import Mapping
from typing import Any

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.argument_errors import suggestion
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.design.plans.plans import Kind, PatternSettings, parameter_type
from tablewright.design.problems import Problems
from tablewright.design.tables import Table


@dataclass(frozen=True, slots=True)
class Subject:
    """An entity, or a copy of one, whose layout is being built."""

    name: str
    table: Table
    type_name: str | None
    fields: Mapping[str, FieldLayout]
    problems: Problems

    def report(self, code: str, why: str, fix: str, field: str) -> None:
        """Report a problem of one field."""
        self.problems.add(code, self.name, why, fix, field=field)

    def require_field(self, name: str, needed_by: str) -> FieldLayout | None:
        """The field of that name; if there is none, report it with the closest name and return None."""
        field = self.fields.get(name)
        if field is None:
            hint = suggestion(name, self.fields, "its fields are")
            self.report("TW003", f"has no field {name}, which {needed_by} needs", hint, name)
        return field


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
