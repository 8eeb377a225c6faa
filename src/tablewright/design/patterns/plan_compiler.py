"""The plan compiler: turns an access pattern into its plan, and applies the rules."""

from datetime import date
from itertools import takewhile

from tablewright.design.keys.templates import Part, Template
from tablewright.design.keys.time_formats import natural_shape
from tablewright.design.layouts.layouts import Layout
from tablewright.design.plans.filters import Filter, FilterError, compile_filter
from tablewright.design.plans.key_conditions import KeyClause, parse_key_line
from tablewright.design.plans.pattern_settings import PatternSettings
from tablewright.design.plans.plans import Kind, Plan, lock_read
from tablewright.design.problems import Problems
from tablewright.design.tables.tables import Index
from tablewright.design.validation.pattern_rules import (
    check_clauses,
    check_cursor_ignores,
    check_filter,
    check_find,
    check_parameters,
    check_returned_fields,
    check_settings,
    check_tables,
)
from tablewright.design.validation.pattern_subjects import PatternSubject


def compile_plan(pattern: type[PatternSettings], kind: Kind, layouts: tuple[Layout, ...]) -> Plan:
    """The plan of a pattern; `DesignError` if the pattern cannot work."""
    problems = Problems(literal=layouts[0].table.literal)
    return _Compiler(PatternSubject(pattern, kind, layouts, problems)).plan()


class _Compiler:
    """Compiles one pattern."""

    def __init__(self, subject: PatternSubject) -> None:
        self.subject = subject
        self.pattern = subject.pattern
        self.table = subject.table

    def plan(self) -> Plan:
        """Find the index and the key clauses."""
        check_settings(self.subject)
        check_tables(self.subject)
        if self.subject.kind == "scan":
            index = self._named_index()
            compiled = self._filter(index)
            if not self.subject.problems.recorded:
                check_parameters(self.subject, (), compiled)
            return self._finished(index, (), compiled)
        clauses = parse_key_line(self.pattern.key) if self.pattern.key else None
        index = self._index_of(clauses) if clauses else self._named_index()
        if clauses is None:
            clauses = self._implied(index)
        if not self.subject.problems.recorded:  # further problems would only be consequences of the first
            check_clauses(self.subject, index, clauses)
        compiled = self._filter(index)
        if not self.subject.problems.recorded:
            check_parameters(self.subject, clauses, compiled)
            check_cursor_ignores(self.subject, clauses)
        return self._finished(index, clauses, compiled)

    def _finished(self, index: Index | None, clauses: tuple[KeyClause, ...], compiled: Filter | None) -> Plan:
        subject = self.subject
        if index is not None and not index.local and self.pattern.consistent:
            subject.report(
                "TW302",
                f"reads {index.name} with consistent=True, which global indexes do not support",
                "read the table instead",
            )
        check_returned_fields(subject)
        problems = tuple(subject.problems.recorded)
        lock = lock_read(subject.kind, subject.layouts, clauses)
        return Plan(
            self.pattern, subject.kind, subject.layouts, self.table, index, clauses, problems, compiled, lock
        )

    def _filter(self, index: Index | None) -> Filter | None:
        """The compiled filter; None if there is none, or it is invalid."""
        given = self.pattern.filter
        if given is None or isinstance(given, bool):
            return None
        try:
            compiled = compile_filter(given, self.subject.layouts)
        except FilterError as error:
            self.subject.report("TW005", f'has the filter "{error.source}": {error.why}', error.fix)
            return None
        check_filter(self.subject, index, compiled)
        return compiled

    def _named_index(self) -> Index | None:
        return self.table.index(self.pattern.index) if self.pattern.index else None

    def _index_of(self, clauses: tuple[KeyClause, ...]) -> Index | None:
        """The index with the key attributes of the clauses; None is the table."""
        if self.pattern.index:
            return self.table.index(self.pattern.index)
        named = [clause.attribute for clause in clauses]
        if self.table.partition in named and set(named) <= set(self.table.key):
            return None
        for index in self.table.indexes:
            if set(index.partition) <= set(named) <= set(index.key):
                return index
        known = ", ".join(self.table.key_attributes)
        self.subject.report(
            "TW303",
            f'has the key condition "{self.pattern.key}", which fits neither {self.table.name} nor one of its indexes',
            f"the key attributes are: {known}",
        )
        return None

    def _implied(self, index: Index | None) -> tuple[KeyClause, ...]:
        """The clauses for a pattern without `key`: the entity's own key, as far as there are parameters for it."""
        layout = self.subject.layouts[0]
        key = layout.key_for(index)
        if index is None and not check_find(self.subject):
            return ()
        if key is None:
            self.subject.report(
                "TW006",
                f"reads {index and index.name}, but {layout.entity.__name__} has no key there",
                "give it a key there",
            )
            return ()
        partition = set(index.partition if index else (self.table.partition,))
        return tuple(
            clause
            for attribute, template in key.parts
            if (clause := self._clause(attribute, template, partition))
        )

    def _clause(self, attribute: str, template: Template, partition: set[str]) -> KeyClause | None:
        missing = [part.name for part in template.fields if not self._fills(part)]
        if not missing:
            return KeyClause(attribute, "=", (template,))
        if attribute in partition or self.subject.kind in ("get", "batch"):
            as_time = " as a Timestamp" if missing[0] in self.subject.parameters else ""
            self.subject.report(
                "TW005",
                f'needs {", ".join(missing)}{as_time} for {attribute} = "{template.text}"',
                "add it as a parameter",
            )
        known = "".join(map(str, takewhile(self._fills, template.parts)))
        return KeyClause(attribute, "begins_with", (Template(known),)) if known else None

    def _fills(self, part: Part) -> bool:
        """Whether the parameters determine that part of a key; a date does not determine a timestamp, only its day."""
        if isinstance(part, str):
            return True
        subject = self.subject
        if part.name not in subject.parameters or part.time_text:
            return part.name in subject.parameters
        field = subject.layouts[0].fields.get(part.name)
        needs_time = field is not None and natural_shape(field.annotation) > natural_shape(date)
        return not needs_time or natural_shape(subject.type_of(part.name)) != natural_shape(date)
