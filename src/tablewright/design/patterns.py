"""Access patterns: a pattern is a class, a request is its instance.

    class UsersByRole(Query[User]):
        "List users by role."
        role: Role
        key = "GSI1PK = ROLE#{role}"
        descending = True

    page = db.run(UsersByRole(role=Role.FOUNDER))

Parameters are typed fields. `key` is the key condition, as in the design document; without it, the pattern uses the
entity's own key, as far as there are parameters for it. A pattern is compiled to its plan when its class is defined;
one that cannot work raises `DesignError`.
"""

import types
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from itertools import takewhile
from typing import Any, ClassVar, Generic, Self, TypeVar, Union, get_args, get_origin

from pydantic import ConfigDict

from tablewright.design.argument_errors import define_bases
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.masking import hide_input, masked
from tablewright.design.indexes import Index
from tablewright.design.keys.templates import Part, Template
from tablewright.design.keys.time_formats import natural_shape
from tablewright.design.layouts.field_values import type_name
from tablewright.design.layouts.layouts import Layout, abstract_error, is_abstract
from tablewright.design.plans.filters import Filter, FilterError, compile_filter
from tablewright.design.plans.key_conditions import KeyClause, parse_key_line
from tablewright.design.plans.parameter_parts import each_period, each_shard
from tablewright.design.plans.parameter_values import validate_as_fields
from tablewright.design.plans.plans import Kind, PatternSettings, Plan, lock_read
from tablewright.design.problems import Problems
from tablewright.design.search_plans import compile_search
from tablewright.design.validation.field_rules import annotated_fields
from tablewright.design.validation.pattern_rules import (
    check_clauses,
    check_cursor_ignores,
    check_filter,
    check_find,
    check_normalised_keys,
    check_parameters,
    check_projection,
    check_returned_fields,
    check_setting_names,
    check_settings,
    check_tables,
)
from tablewright.design.validation.subjects import PatternSubject
from tablewright.errors import DesignError


def compile_plan(pattern: type[PatternSettings], kind: Kind, layouts: tuple[Layout, ...]) -> Plan:
    """The plan of a pattern; `DesignError` if the pattern cannot work."""
    problems = Problems(literal=layouts[0].table.literal)
    subject = PatternSubject(pattern, kind, layouts, problems)
    return compile_search(subject) if kind == "nearest" else _Compiler(subject).plan()


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
        lock = lock_read(subject.kind, subject.layouts, clauses)
        plan = Plan(
            self.pattern, subject.kind, subject.layouts, self.table, index, clauses, (), compiled, lock
        )
        check_projection(subject, plan)
        check_normalised_keys(subject, plan)
        return replace(plan, problems=tuple(subject.problems.recorded))

    def _filter(self, index: Index | None) -> Filter | None:
        """The compiled filter; None if there is none, or it is invalid."""
        condition = self.pattern.filter
        if condition is None or isinstance(condition, bool):
            return None
        try:
            compiled = compile_filter(condition, self.subject.layouts)
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


T = TypeVar("T", covariant=True)  # a pattern only ever returns it


def _entities(pattern: "type[Pattern[Any]]") -> tuple[Layout, ...] | None:
    """The layouts of the entities in `Query[User | Role]`; None for base classes."""
    metadata = pattern.__pydantic_generic_metadata__
    if metadata["origin"] is not None or metadata["parameters"]:
        return None
    for base in pattern.__mro__:
        arguments = getattr(base, "__pydantic_generic_metadata__", {}).get("args")
        if arguments:
            return tuple(_layout(pattern, entity) for entity in _alternatives(arguments[0]))
    return None


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (Union, types.UnionType):
        return get_args(annotation)
    return (annotation,)


def _layout(pattern: "type[Pattern[Any]]", entity: Any) -> Layout:
    if not (isinstance(entity, type) and issubclass(entity, Entity)):
        raise DesignError(
            f"{pattern.__name__} returns {_shown(entity)}, which is not an Entity; write Query[User]"
        )
    if is_abstract(entity):
        raise DesignError(f"{pattern.__name__} returns {entity.__name__}: {abstract_error(entity)}")
    return entity.layout


def _shown(argument: Any) -> str:
    return argument if isinstance(argument, str) else type_name(argument)


class Pattern(PatternSettings, Generic[T]):
    """The base class of all patterns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    __kind__: ClassVar[Kind]
    __plan__: ClassVar[Plan]

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Check the names of the parameters."""
        if arguments:
            name, value = next(iter(arguments.items()))
            raise DesignError(
                f"{cls.__name__} has no class argument {name}; settings are written in the class: {name} = {value!r}"
            )
        super().__init_subclass__()
        check_setting_names(cls, annotated_fields(cls), cls.__class_vars__)

    @classmethod
    def __pydantic_init_subclass__(cls, **extra: Any) -> None:
        """Compile the plan of a concrete pattern."""
        super().__pydantic_init_subclass__(**extra)
        entities = _entities(cls)
        if entities is None:
            return
        check_setting_names(cls, cls.model_fields, cls.__class_vars__)
        cls.__plan__ = compile_plan(cls, cls.__kind__, entities)
        is_changed = validate_as_fields(cls.__plan__)
        if cls._secrets():
            hide_input(cls)
        elif is_changed:
            cls.model_rebuild(force=True)

    @classmethod
    def _secrets(cls) -> frozenset[str]:
        return frozenset(
            name for layout in cls.__plan__.layouts for name in layout.secrets if name in cls.model_fields
        )

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """The arguments that `repr` shows; secrets are masked."""
        return masked(self._secrets(), super().__repr_args__())


class Get(Pattern[T], Generic[T]):
    """One item by its whole key: `T | None`."""

    __kind__ = "get"


class Find(Pattern[T], Generic[T]):
    """One item through an index: `T | None`."""

    __kind__ = "find"


class Query(Pattern[T], Generic[T]):
    """The items of one partition, in order, page by page."""

    __kind__ = "query"

    @classmethod
    def shards(cls, **parameters: Any) -> list[Self]:
        """Return a request for each shard, to be read as one list: `reads.Merged(OpenRoles.shards())`.

        The shards are those of the key that the pattern reads, `"ROLES#{role_id:shard(8)}"`, or the bounds of an
        integer field whose name contains `shard` or `bucket`. `parameters` are the others.
        """
        return [cls(**values) for values in each_shard(cls, parameters)]

    @classmethod
    def between(cls, start: date, end: date, /, **parameters: Any) -> list[Self]:
        """Return a request for each period between two times, to be read as one list.

            reads.Chained(EntriesOfMonth.between(start, end))

        The period is that of the key that the pattern reads: `"LOG#{at:%Y-%m}"` has months. The first and the last
        period are those of `start` and `end`, each a datetime with a time zone, or a date. They are in the order of the
        pattern: the latest first, if it is descending. `parameters` are the others.
        """
        return [cls(**values) for values in each_period(cls, start, end, parameters)]


class Scan(Pattern[T], Generic[T]):
    """All items of a table or index, in no useful order, page by page."""

    __kind__ = "scan"


class BatchGet(Pattern[T], Generic[T]):
    """Many items by their keys: parameters that are lists vary together, the others are shared."""

    __kind__ = "batch"


class Nearest(Pattern[T], Generic[T]):
    """The entities whose vectors are nearest to a given one, the nearest first, each with its score.

    The parameter with the name of the vector's field is the vector to search with. The partition and the filters of
    the vector index are parameters too, or are compared in `key` and `filter`.
    """

    __kind__ = "nearest"

    limit: ClassVar[int] = 10
    """The most entities to return, 1 to 100, unless a run gives a `limit`."""


define_bases(PatternSettings, Pattern, Get, Find, Query, Scan, BatchGet, Nearest)
