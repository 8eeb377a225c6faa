"""Rules for access patterns: their parameters, returned fields and key conditions."""

from collections.abc import Iterable, Mapping

from tablewright.design.fields.conditions import Condition
from tablewright.design.layouts.layouts import KeyLayout, Layout, LockLayout, field_hint
from tablewright.design.plans.filters import Filter
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.pattern_settings import PatternSettings
from tablewright.design.plans.plans import Fit, copy_keys, fit, lock_read, may_match
from tablewright.design.tables.tables import Index
from tablewright.design.validation.key_format_rules import check_key_formats, check_lock_formats
from tablewright.design.validation.pattern_subjects import PatternSubject
from tablewright.design.validation.shadowed_names import PYDANTIC_NAMES
from tablewright.errors import DesignError


def check_setting_names(
    pattern: type[PatternSettings], names: Iterable[str], settings: Iterable[str]
) -> None:
    """Reject parameters that have the name of a setting, or of a method of pydantic."""
    for name in names:
        if name in settings or name in PYDANTIC_NAMES:
            if name in settings and isinstance(
                vars(pattern).get(name), str | bool | int | tuple | Mapping | Condition
            ):
                raise DesignError(
                    f"{pattern.__name__} declares the setting {name} with a type, as a parameter; "
                    f"write it without: {name} = {vars(pattern)[name]!r}"
                )
            owner = "a setting of every pattern" if name in settings else "a method of every pydantic model"
            raise DesignError(
                f"{pattern.__name__} has a parameter {name}, which is {owner}; "
                f'write {name}_: str = Field(alias="{name}") and use {{{name}_}} in the key'
            )


def check_tables(subject: PatternSubject) -> None:
    """Reject entities of several tables: one request reads one table."""
    for layout in subject.layouts:
        if layout.table is not subject.table:
            raise DesignError(
                f"{subject.pattern.__name__} reads {layout.entity.__name__} from {layout.table.name} and others from "
                f"{subject.table.name}; write a pattern for each table"
            )


def check_returned_fields(subject: PatternSubject) -> None:
    """Report `fields` that no entity of the pattern has."""
    known = list(dict.fromkeys(name for layout in subject.layouts for name in layout.fields))
    for name in subject.pattern.fields:
        if name not in known:
            entities = " or ".join(layout.entity.__name__ for layout in subject.layouts)
            hint = field_hint(subject.layouts, name, "the fields are")
            subject.report("TW003", f"returns the field {name}, which is not a field of {entities}", hint)


def check_parameters(
    subject: PatternSubject, clauses: tuple[KeyClause, ...], compiled: Filter | None
) -> None:
    """Report parameters that are missing, unused, or of a type that does not fit their key format."""
    for part in (part for clause in clauses for template in clause.templates for part in template.fields):
        fix = part.key_format.fix(part.name, subject.type_of(part.name)) if part.key_format else ""
        if fix and part.name in subject.parameters:
            subject.report("TW005", f"formats {part.name} as {part} in its key", fix)
    needed = {name for clause in clauses for name in clause.names}
    unknown = needed - set(subject.parameters)
    if unknown:
        subject.report(
            "TW005",
            f"uses {', '.join(sorted(unknown))} in its key, but has no such parameter",
            f"it has: {', '.join(subject.parameters) or 'none'}",
        )
    filtered = compiled.parameters if compiled else ()
    unused = [name for name in subject.parameters if name not in needed and name not in filtered]
    if unused:
        subject.report(
            "TW005",
            f"has the parameter {unused[0]}, which neither its key nor its filter uses",
            "use or remove it",
        )


def check_clauses(subject: PatternSubject, index: Index | None, clauses: tuple[KeyClause, ...]) -> None:
    """Report a key condition that DynamoDB rejects, or that can never match the keys of an entity."""
    by_attribute = {clause.attribute: clause for clause in clauses}
    if subject.kind in ("get", "batch"):
        _check_whole_key(subject, index, by_attribute)
    for attribute in index.partition if index else (subject.table.partition,):
        clause = by_attribute.get(attribute)
        if clause is None or clause.operator != "=":
            subject.report(
                "TW301",
                f"has no equality for the partition key {attribute}",
                f"add {attribute} = ... to its key",
            )
    lock = lock_read(subject.kind, subject.layouts, clauses)
    if lock is not None:
        check_lock_read(subject, lock, clauses)
        return
    for layout in subject.layouts:
        key = layout.key_for(index)
        check_key_formats(subject, layout, index, clauses)
        if any(may_match(each, clauses) for each in copy_keys(layout, index)):
            _check_which_key(subject, layout, index, clauses)
            continue
        if key is None:
            subject.report(
                "TW006",
                f"reads {index.name if index else subject.table.name}, but {layout.entity.__name__} has no key there "
                "and is never returned",
                "give it a key there, or read where it has one",
            )
        else:
            _check_key(subject, layout, key, by_attribute)


def check_lock_read(subject: PatternSubject, lock: LockLayout, clauses: tuple[KeyClause, ...]) -> None:
    """Report a read by a lock that returns only some fields, or has another key format than the lock."""
    check_lock_formats(subject, subject.layouts[0], lock, clauses)
    if subject.pattern.fields:
        subject.report(
            "TW005",
            f"reads {subject.layouts[0].entity.__name__} by the lock of {lock.field.name}, with fields",
            "remove fields: the entity is read as a whole",
        )


def _check_which_key(
    subject: PatternSubject, layout: Layout, index: Index | None, clauses: tuple[KeyClause, ...]
) -> None:
    """Report a key condition that fits the entity's own key and the key of a copy equally well, by other names."""
    own = layout.key_for(index)
    if subject.kind == "get" or own is None or fit(own, clauses) is not Fit.FORM:
        return
    for copy in layout.copies:
        for key in (key for key in copy.keys if key.index is index):
            for clause in clauses:
                mine, theirs = dict(own.parts)[clause.attribute], dict(key.parts)[clause.attribute]
                if fit(key, clauses) is Fit.FORM and mine.names != theirs.names:
                    subject.report(
                        "TW005",
                        f'reads {clause}, which fits the own key of {layout.entity.__name__}, "{mine.text}", and its '
                        f'copy {copy.name}, "{theirs.text}"',
                        "name the parameters as in the key that is meant: "
                        f"{', '.join(mine.names)} or {', '.join(theirs.names)}",
                    )
                    return


def _check_whole_key(subject: PatternSubject, index: Index | None, clauses: Mapping[str, KeyClause]) -> None:
    """GetItem needs the whole primary key, and cannot read an index."""
    if index is not None:
        subject.report(
            "TW005", f"gets an item from the index {index.name}", "read an index with Find or Query"
        )
        return
    for attribute in subject.table.key[1:]:
        clause = clauses.get(attribute)
        if clause is None or clause.operator != "=":
            subject.report(
                "TW005",
                f"gets one item without its sort key {attribute}",
                f"add {attribute} = ... to its key, or read the partition with Query",
            )


def _check_key(
    subject: PatternSubject, layout: Layout, key: KeyLayout, clauses: Mapping[str, KeyClause]
) -> None:
    """Report clauses that the key of an entity can never match."""
    for attribute, template in key.parts:
        clause = clauses.get(attribute)
        if clause is not None and not clause.may_match(template):
            subject.report(
                "TW006",
                f'reads {clause}, but {layout.entity.__name__} writes {attribute} = "{template.text}"',
                f"this never matches: change the key condition, or the template of {layout.entity.__name__}",
            )
