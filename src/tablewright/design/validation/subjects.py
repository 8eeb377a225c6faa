"""Subjects: the class that rules are checked for, with what the rules need to know of it."""

from collections.abc import Mapping

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.argument_errors import suggestion
from tablewright.design.layouts.layouts import FieldLayout
from tablewright.design.problems import Problems
from tablewright.design.tables.tables import Table


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
