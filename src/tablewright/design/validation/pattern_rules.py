"""Rules for access patterns: their parameters, returned fields and key conditions.

Rules for the filter of a pattern: its parameters, their types, and the attributes that it may compare.

Rules for the settings of a pattern: their types, the order of its result, and an index where one is needed.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from tablewright.design.argument_errors import suggestion
from tablewright.design.fields.conditions import Condition
from tablewright.design.fields.markers import Unique
from tablewright.design.indexes import Index
from tablewright.design.keys.text_formats import CASES
from tablewright.design.layouts.compared_values import ValueMismatch, check_types
from tablewright.design.layouts.field_values import type_name
from tablewright.design.layouts.layouts import KeyLayout, Layout, LockLayout, field_hint
from tablewright.design.plans.filters import Filter
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.parameter_parts import filled_parts
from tablewright.design.plans.parameter_values import has_validators
from tablewright.design.plans.plans import (
    Fit,
    PatternSettings,
    Plan,
    copy_keys,
    fit,
    lacking_attributes,
    lock_read,
    may_match,
    returned_fields,
)
from tablewright.design.validation.field_rules import PYDANTIC_NAMES
from tablewright.design.validation.key_format_rules import check_key_formats, check_lock_formats
from tablewright.design.validation.subjects import PatternSubject
from tablewright.errors import DesignError

_METHODS = ("shards", "between")


def check_setting_names(
    pattern: type[PatternSettings], names: Iterable[str], settings: Iterable[str]
) -> None:
    """Reject parameters that have the name of a setting, or of a method of pydantic."""
    for name in names:
        if name in settings or name in PYDANTIC_NAMES or name in _METHODS:
            if name in settings and isinstance(
                vars(pattern).get(name), str | bool | int | tuple | Mapping | Condition
            ):
                raise DesignError(
                    f"{pattern.__name__} declares the setting {name} with a type, as a parameter; "
                    f"write it without: {name} = {vars(pattern)[name]!r}"
                )
            method = "a method of queries" if name in _METHODS else "a method of every pydantic model"
            owner = "a setting of every pattern" if name in settings else method
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


def check_projection(subject: PatternSubject, plan: Plan) -> None:
    """Report an index that lacks what the pattern needs of an entity: its fields, or what decoding looks at."""
    if plan.index is None:
        return
    for layout in subject.layouts:
        reads = f"reads {layout.entity.__name__} from {plan.index.name}"
        lacking = lacking_attributes(plan, layout)
        if lacking:
            fix = _projection_fix(plan, layout, lacking)
            subject.report("TW305", f"{reads}, which lacks {', '.join(lacking)}", fix)
        elif layout.upcasts and plan.index.projection != "ALL":
            why = "which contains only a part of each item; the upcasts take whole items"
            subject.report("TW305", f"{reads}, {why}", 'set projection="ALL", or read the table')


def _projection_fix(plan: Plan, layout: Layout, lacking: Sequence[str]) -> str:
    assert plan.index is not None
    project = f"add to the projection of {plan.index.name}: {', '.join(lacking)}"
    returned = {field.stored: field.name for field in returned_fields(plan, layout)}
    if not set(lacking) <= set(returned):  # other fields would not help: reading itself needs the attribute
        return project
    if plan.pattern.fields:
        return f"{project}; or remove from fields: {', '.join(returned[name] for name in lacking)}"
    return f"{project}; or name the fields to read, and run it with db.rows(...): fields = (...)"


def check_normalised_keys(subject: PatternSubject, plan: Plan) -> None:
    """Report a search for a value in a key that has it as given, where its lock has it normalised."""
    if subject.problems.recorded:
        return
    for part in filled_parts(plan):
        entity, field = part.layout.entity, part.layout.fields.get(part.written.name)
        unique: Unique | None = field.marker(Unique) if field is not None else None
        if field is None or unique is None or unique.normalise is None or not part.is_whole:
            continue
        if part.written.key_format is not None or has_validators(entity, field.name):
            continue
        function = getattr(unique.normalise, "__name__", "...")
        case = next((name for name, fold in CASES.items() if fold is unique.normalise), None)
        if case is not None and field.stored != part.attribute:
            fix = f"write {{{field.name}:{case}}} in the key of {entity.__name__}"
            fix += (
                f" and {{{part.parameter.name}:{case}}} in that of the pattern" if subject.pattern.key else ""
            )
        else:
            fix = f"normalise the field itself: {field.name}: Annotated[..., AfterValidator({function})]"
        subject.report(
            "TW006",
            f"finds {entity.__name__} by {field.name}, which is Unique(normalise={function}), but {part.attribute} = "
            f'"{part.template.text}" has the value as it was given: a value in another form is not found',
            fix,
        )


def check_parameters(
    subject: PatternSubject,
    clauses: tuple[KeyClause, ...],
    compiled: Filter | None,
    also: tuple[str, ...] = (),
) -> None:
    """Report parameters that are missing, unused, or of a type that does not fit their key format.

    `also` are parameters that are used in another way.
    """
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
    filtered = (*(compiled.parameters if compiled else ()), *also)
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
    if index is not None:
        _check_sort_attributes(subject, index, by_attribute)
    lock = lock_read(subject.kind, subject.layouts, clauses)
    if lock is not None:
        check_lock_read(subject, lock, clauses)
        return
    for layout in subject.layouts:
        key = layout.key_for(index)
        check_key_formats(subject, layout, index, clauses)
        if any(may_match(key, clauses) for key in copy_keys(layout, index)):
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


def _check_sort_attributes(subject: PatternSubject, index: Index, clauses: Mapping[str, KeyClause]) -> None:
    """Report a condition that skips a sort attribute, or compares one after a range: DynamoDB rejects both."""
    named = [attribute for attribute in index.sort if attribute in clauses]
    for before, attribute in zip(index.sort, named, strict=False):
        if before != attribute:
            subject.report(
                "TW301",
                f"compares {attribute} of {index.name} without {before}, which comes before it in the sort key",
                f"add {before} = ... to its key, or leave {attribute} out",
            )
            return
    for before, attribute in pairwise(named):
        if clauses[before].operator != "=":
            subject.report(
                "TW301",
                f"compares {attribute} of {index.name} after {clauses[before]}; only the last sort attribute of a key "
                "condition can have a range",
                f"write {before} = ..., or leave {attribute} out",
            )
            return


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


def check_filter(subject: PatternSubject, index: Index | None, compiled: Filter) -> None:
    """Report a filter that DynamoDB rejects, or that compares what never matches."""
    missing = [name for name in compiled.parameters if name not in subject.parameters]
    if missing:
        subject.report(
            "TW005", f'has the filter "{compiled.source}", which needs {missing[0]}', "add it as a parameter"
        )
        return
    _check_keys(subject, index, compiled)
    _check_types(subject, compiled)


def _check_keys(subject: PatternSubject, index: Index | None, compiled: Filter) -> None:
    """Report a key attribute in the filter of a query: DynamoDB compares keys in the key condition only."""
    if subject.kind in ("scan", "nearest"):
        return
    keys = index.key if index else subject.table.key
    for layout in subject.layouts:
        for name in compiled.fields:
            stored = layout.fields[name].stored if name in layout.fields else None
            if stored in keys:
                subject.report(
                    "TW005",
                    f'has the filter "{compiled.source}" on {name}, which is the key attribute {stored} of '
                    f"{index.name if index else subject.table.name}",
                    f'compare it in the key condition: key = "... AND {stored} ..."',
                )
                return


def _check_types(subject: PatternSubject, compiled: Filter) -> None:
    """Report a parameter that has another type than the field it is compared with."""
    for comparison in compiled.comparisons:
        field, parameter = comparison.field, comparison.parameter
        try:
            check_types(comparison.annotation, subject.type_of(parameter), comparison.use)
        except ValueMismatch as error:
            subject.report(
                "TW005",
                f'has the filter "{compiled.source}", which compares {field} with {{{parameter}}}: {field} {error}',
                f"give {parameter} the type of {field}",
            )


_WITHOUT_ORDER = {"get": "Get", "scan": "Scan", "batch": "BatchGet", "nearest": "Nearest"}


def check_settings(subject: PatternSubject) -> None:
    """Reject a key, a filter, a list of names or `descending` of the wrong type."""
    check_descending(subject)
    name = subject.pattern.__name__
    key: object = subject.pattern.key
    if isinstance(key, Condition):
        raise DesignError(
            f'{name} has a condition as its key; write it as text: key = "PK = USER#{{user_id}}"'
        )
    if not isinstance(key, str | None):
        raise DesignError(f"{name} has a key that is a {type_name(type(key))}; write it as text")
    _check_filter(subject)
    for setting in ("page_size", "expected_items"):
        number: object = getattr(subject.pattern, setting)
        if number is not None and (not isinstance(number, int | float) or number < (setting == "page_size")):
            raise DesignError(f"{name} has {setting} = {number!r}; write a number, such as {setting} = 20")
    for setting in ("fields", "cursor_ignores"):
        names: object = getattr(subject.pattern, setting)
        if isinstance(names, str):
            raise DesignError(f'{name} has {setting} = "{names}"; write a tuple: {setting} = ("{names}",)')
    for ignored in subject.pattern.cursor_ignores:
        if ignored not in subject.parameters:
            hint = suggestion(ignored, subject.parameters, "the parameters are")
            raise DesignError(f"{name} has cursor_ignores with {ignored}, which is not a parameter; {hint}")


def check_cursor_ignores(subject: PatternSubject, clauses: tuple[KeyClause, ...]) -> None:
    """Reject `cursor_ignores` with a parameter that selects another list."""
    fixed = {name for clause in clauses if clause.operator == "=" for name in clause.names}
    for ignored in subject.pattern.cursor_ignores:
        if ignored in fixed:
            raise DesignError(
                f"{subject.pattern.__name__} has cursor_ignores with {ignored}, but another {ignored} is another list, "
                "in which a cursor has no meaning; name only parameters of a range or of the filter"
            )


def check_descending(subject: PatternSubject) -> None:
    """Reject `descending` that is no boolean, or where a pattern has no order."""
    pattern, name = subject.pattern, subject.pattern.__name__
    descending: object = pattern.descending
    if not isinstance(descending, bool):
        raise DesignError(f"{name} has descending = {descending!r}; write descending = True")
    if descending and subject.kind in _WITHOUT_ORDER:
        kind = _WITHOUT_ORDER[subject.kind]
        raise DesignError(
            f"{name} has descending = True, but a {kind} has no order; remove it, or read a partition with Query"
        )


def check_find(subject: PatternSubject) -> bool:
    """Report a `Find` that names no index and does not have the primary key; return whether it has."""
    layout = subject.layouts[0]
    partition = layout.primary.parts[0][1]
    if subject.kind != "find" or set(partition.names) <= set(subject.parameters):
        return True
    entity = layout.entity.__name__
    fitting = [
        key.index.name
        for key in layout.indexes
        if key.index is not None
        and {name for _, template in key.parts[: len(key.index.partition)] for name in template.names}
        <= set(subject.parameters)
    ]
    if fitting:
        fix = f'set index = "{fitting[0]}"'
    else:
        known = ", ".join(index.name for index in subject.table.indexes) or "none"
        fix = f"add an index for these parameters and set index = ...; {subject.table.name} has: {known}"
    subject.report("TW005", f"finds one {entity} by {', '.join(subject.parameters)}, without an index", fix)
    return False


def _check_filter(subject: PatternSubject) -> None:
    name = subject.pattern.__name__
    condition: object = subject.pattern.filter
    if condition is not None and subject.kind in ("get", "batch"):
        kind = _WITHOUT_ORDER[subject.kind]
        raise DesignError(
            f"{name} has a filter, but a {kind} reads items by their keys and does not filter them; "
            "remove it, or read with Query"
        )
    if not isinstance(condition, str | Condition | None):
        raise DesignError(
            f"{name} has a filter that is a {type_name(type(condition))}; write it as text, such as "
            "\"visits > {least}\", or as a condition: User.visits > fields.parameter('least')"
        )
