"""Plans: access patterns compiled. What is read, from where, by which key; checks, cost and documentation read them.

A plan knows nothing of values: with a pattern's parameters it becomes a request (see `access`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from tablewright.design.keys.key_formats import Calendar, Shard, natural_shape
from tablewright.design.keys.templates import Field, Part, Template
from tablewright.design.layouts.layouts import KeyLayout, Layout, without_none
from tablewright.design.patterns.filters import Filter, FilterError, compile_filter
from tablewright.design.patterns.key_conditions import KeyClause, parse_key_line
from tablewright.design.tables.tables import Index, Table
from tablewright.design.validation.problems import Complaint, Complaints
from tablewright.errors import DesignError

if TYPE_CHECKING:
    from tablewright.design.patterns.patterns import Pattern

Kind = Literal["get", "find", "query", "scan", "batch"]


@dataclass(frozen=True, slots=True)
class Plan:
    """One access pattern, compiled."""

    pattern: "type[Pattern[Any]]"
    kind: Kind
    layouts: tuple[Layout, ...]
    """The entities it may return."""
    table: Table
    index: Index | None
    clauses: tuple[KeyClause, ...]
    complaints: tuple[Complaint, ...]
    """What cannot work, when the table is declared literally."""
    filter: Filter | None = None

    @property
    def name(self) -> str:
        """The pattern's name."""
        return self.pattern.__name__

    @property
    def description(self) -> str:
        """The first line of the pattern's docstring."""
        return (self.pattern.__doc__ or "").strip().partition("\n")[0]

    @property
    def partition_clauses(self) -> tuple[KeyClause, ...]:
        """The clauses that choose the partition."""
        partition = self.index.partition if self.index else (self.table.partition,)
        return tuple(clause for clause in self.clauses if clause.attribute in partition)

    def reads_copies(self, layout: Layout) -> bool:
        """Whether it finds an entity by its copies, because its own key cannot be what is asked for."""
        main = layout.key_for(self.index)
        return bool(layout.copies) and (main is None or not _reaches(main, self.clauses))


def compile_plan(pattern: "type[Pattern[Any]]", kind: Kind, layouts: tuple[Layout, ...]) -> Plan:
    """The plan of a pattern, or the reason why there is none."""
    return _Compiler(pattern, kind, layouts).plan()


class _Compiler:
    """A pattern being compiled; says what is wrong in its name."""

    def __init__(self, pattern: "type[Pattern[Any]]", kind: Kind, layouts: tuple[Layout, ...]) -> None:
        self.pattern = pattern
        self.kind = kind
        self.layouts = layouts
        self.parameters: Mapping[str, object] = pattern.model_fields
        self.table = layouts[0].table
        self.complaints = Complaints(literal=self.table.literal)

    def plan(self) -> Plan:
        """Find the index and the clauses."""
        for layout in self.layouts:
            if layout.table is not self.table:
                raise self._refusal(
                    f"reads {layout.entity.__name__} from {layout.table.name} and others from {self.table.name}"
                )
        if self.kind == "scan":
            return self._made(self._named_index(), ())
        clauses = parse_key_line(self.pattern.key) if self.pattern.key else None
        index = self._index_of(clauses) if clauses else self._named_index()
        if clauses is None:
            clauses = self._implied(index)
        if not self.complaints.noted:  # what follows from a complaint is not worth another
            self._check_clauses(index, clauses)
            self._check_parameters(clauses)
        return self._made(index, clauses)

    def _made(self, index: Index | None, clauses: tuple[KeyClause, ...]) -> Plan:
        if index is not None and not index.local and self.pattern.consistent:
            self._complain(
                "TW302", f"reads {index.name} consistently", "global indexes cannot, read the table instead"
            )
        self._check_fields()
        compiled = self._filter() if self.pattern.filter else None
        noted = tuple(self.complaints.noted)
        return Plan(self.pattern, self.kind, self.layouts, self.table, index, clauses, noted, compiled)

    def _check_fields(self) -> None:
        """What is to be returned is there, in one of the entities at least."""
        known = list(dict.fromkeys(name for layout in self.layouts for name in layout.fields))
        for name in self.pattern.fields:
            if name not in known:
                close = get_close_matches(name, known, n=1)
                hint = f"did you mean {close[0]}?" if close else f"they have: {', '.join(known)}"
                self._complain("TW003", f"returns the field {name}, which none of its entities has", hint)

    def _filter(self) -> Filter | None:
        """The filter, when it can be read and its parameters are there."""
        text = self.pattern.filter or ""
        try:
            compiled = compile_filter(text, self.layouts)
        except FilterError as refusal:
            self._complain("TW005", f'has the filter "{text}", where {refusal.why}', refusal.fix)
            return None
        missing = [name for name in compiled.parameters if name not in self.parameters]
        if missing:
            self._complain(
                "TW005", f'has the filter "{text}", which needs {missing[0]}', "add it as a parameter"
            )
        return compiled

    def _named_index(self) -> Index | None:
        return self.table.index(self.pattern.index) if self.pattern.index else None

    def _index_of(self, clauses: tuple[KeyClause, ...]) -> Index | None:
        """The index whose key attributes the clauses speak of."""
        if self.pattern.index:
            return self.table.index(self.pattern.index)
        named = [clause.attribute for clause in clauses]
        if self.table.partition in named and set(named) <= set(self.table.key):
            return None
        for index in self.table.indexes:
            if set(index.partition) <= set(named) <= set(index.key):
                return index
        known = ", ".join(self.table.key_attributes)
        self._complain(
            "TW303",
            f'has the key line "{self.pattern.key}", which is the key of no index of {self.table.name}',
            f"its key attributes are: {known}",
        )
        return None

    def _implied(self, index: Index | None) -> tuple[KeyClause, ...]:
        """The key as the entity makes it, as far as the parameters reach."""
        layout = self.layouts[0]
        key = layout.key_for(index)
        if key is None:
            self._complain(
                "TW006",
                f"reads {index and index.name}, which {layout.entity.__name__} is not in",
                "give its keys there",
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
        if attribute in partition or self.kind in ("get", "batch"):
            whole = " as a whole moment" if missing[0] in self.parameters else ""
            self._complain(
                "TW005",
                f'needs {", ".join(missing)}{whole} for {attribute} = "{template.text}"',
                "add it as a parameter",
            )
        known = "".join(map(str, takewhile(self._fills, template.parts)))
        return KeyClause(attribute, "begins_with", (Template(known),)) if known else None

    def _fills(self, part: Part) -> bool:
        """Whether the parameters tell that part of a key; a day tells of a moment only what is spelt by days."""
        if isinstance(part, str):
            return True
        if part.name not in self.parameters or isinstance(part.spelling, Calendar):
            return part.name in self.parameters
        field = self.layouts[0].fields.get(part.name)
        of_moment = field is not None and natural_shape(field.annotation) > natural_shape(date)
        return not of_moment or natural_shape(self._type_of(part.name)) != natural_shape(date)

    def _type_of(self, name: str) -> Any:
        """The type of a parameter; of its elements, where a batch takes a list; text where there is none."""
        info = self.pattern.model_fields.get(name)
        plain = str if info is None else without_none(info.annotation)[0]
        if self.kind == "batch" and get_origin(plain) in (list, tuple, set):
            return without_none(get_args(plain)[0])[0]
        return plain

    def _check_clauses(self, index: Index | None, clauses: tuple[KeyClause, ...]) -> None:
        partition = index.partition if index else (self.table.partition,)
        by_attribute = {clause.attribute: clause for clause in clauses}
        if self.kind in ("get", "batch"):
            self._check_whole_key(index, by_attribute)
        for attribute in partition:
            clause = by_attribute.get(attribute)
            if clause is None or clause.operator != "=":
                self._complain(
                    "TW301",
                    f"must say what {attribute} is: {attribute} = ...",
                    "a partition key takes only equality",
                )
        for layout in self.layouts:
            key = layout.key_for(index)
            if any(_reaches(each, clauses) for each in _copy_keys(layout, index)):
                continue
            if key is None:
                where = index.name if index else self.table.name
                self._complain(
                    "TW006",
                    f"reads {where}, but {layout.entity.__name__} has no key there and is never found",
                    "give its keys there, or read where it has some",
                )
            else:
                self._check_reach(layout, key, by_attribute)

    def _check_whole_key(self, index: Index | None, clauses: Mapping[str, KeyClause]) -> None:
        """One item is fetched by the table's whole key, never through an index."""
        if index is not None:
            self._complain(
                "TW005", f"gets an item through {index.name}", "an index is read with Find or Query"
            )
            return
        for attribute in self.table.key[1:]:
            clause = clauses.get(attribute)
            if clause is None or clause.operator != "=":
                self._complain(
                    "TW005",
                    f"gets one item without saying what its {attribute} is",
                    f"add {attribute} = ... to its key, or read the partition with Query",
                )

    def _check_reach(self, layout: Layout, key: KeyLayout, clauses: Mapping[str, KeyClause]) -> None:
        for attribute, template in key.parts:
            clause = clauses.get(attribute)
            if clause is not None and not _may_meet(clause, template):
                self._complain(
                    "TW006",
                    f'asks for {clause}, but {layout.entity.__name__} writes {attribute} = "{template.text}"',
                    "it can never be found there: ask for what is written",
                )
            elif clause is not None and clause.operator in ("=", "begins_with"):
                self._check_spelling(layout, clause, template)

    def _check_spelling(self, layout: Layout, clause: KeyClause, written: Template) -> None:
        """A part of a fixed shape, such as a day, is asked for in that shape."""
        asked = clause.templates[0]
        for place, (mine, theirs) in enumerate(zip(asked.parts, written.parts, strict=False)):
            if isinstance(mine, str) or isinstance(theirs, str):
                if mine != theirs:
                    return
                continue
            kind = layout.fields[theirs.name].annotation if theirs.name in layout.fields else str
            shape = theirs.shape or natural_shape(kind)
            may_end = clause.operator == "begins_with" and place == len(asked.parts) - 1
            if shape and not self._has_shape(mine, shape, may_end=may_end):
                spelling = (
                    f"0{len(shape)}"
                    if isinstance(theirs.spelling, Shard)
                    else theirs.spelling and theirs.spelling.text
                )
                fix = f"write {{{mine.name}:{spelling}}}" if spelling else f"make {mine.name} a Timestamp"
                self._complain(
                    "TW006",
                    f'asks for {clause}, but {layout.entity.__name__} writes {clause.attribute} = "{written.text}", '
                    f"where {mine} is spelt otherwise",
                    f"it can never be found so: {fix}",
                )

    def _has_shape(self, part: Field, shape: str, *, may_end: bool) -> bool:
        kind = self._type_of(part.name)
        own = part.shape or natural_shape(kind)
        if not own and kind is int and not may_end:
            return len(shape) == 1 or not shape.isdigit()
        return not own or own == shape or (may_end and shape.startswith(own))

    def _check_parameters(self, clauses: tuple[KeyClause, ...]) -> None:
        for part in (part for clause in clauses for template in clause.templates for part in template.fields):
            wanted = part.spelling.wants(self._type_of(part.name)) if part.spelling else ""
            if wanted and part.name in self.parameters:
                self._complain(
                    "TW005", f"spells {part.name} as {part} in its key", f"make the parameter {wanted}"
                )
        needed = {name for clause in clauses for name in clause.names}
        unknown = needed - set(self.parameters)
        if unknown:
            self._complain(
                "TW005",
                f"uses {', '.join(sorted(unknown))} in its key, but has no such parameter",
                f"it has: {', '.join(self.parameters) or 'none'}",
            )
        filtered = self.pattern.filter or ""
        idle = [name for name in self.parameters if name not in needed and f":{name}" not in filtered]
        if idle:
            self._complain(
                "TW005",
                f"has the parameter {idle[0]}, which neither its key nor its filter uses",
                "use or remove it",
            )

    def _complain(self, code: str, why: str, fix: str) -> None:
        self.complaints.add(code, self.pattern.__name__, why, fix)

    def _refusal(self, complaint: str) -> DesignError:
        return DesignError(f"{self.pattern.__name__} {complaint}")


def _may_meet(clause: KeyClause, template: Template) -> bool:
    """Whether a key made by the template can be what a clause asks for, as far as literal text tells."""
    if clause.operator not in ("=", "begins_with"):
        return True
    asked = clause.templates[0].prefix
    return template.prefix.startswith(asked) or asked.startswith(template.prefix)


def _reaches(key: KeyLayout, clauses: tuple[KeyClause, ...]) -> bool:
    templates = dict(key.parts)
    return all(_may_meet(clause, templates[clause.attribute]) for clause in clauses)


def _copy_keys(layout: Layout, index: Index | None) -> list[KeyLayout]:
    """The keys that an entity's copies have in the table (None) or in an index."""
    if index is None:
        return [copy.primary for copy in layout.copies]
    return [key for copy in layout.copies for key in copy.indexes if key.index is index]
