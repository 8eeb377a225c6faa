"""Rules for the settings of a pattern: their types, the order of its result, and an index where one is needed."""

from tablewright.design.fields.conditions import Condition
from tablewright.design.layouts.field_values import type_name
from tablewright.design.nearest_names import suggestion
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.validation.pattern_subjects import PatternSubject
from tablewright.errors import DesignError

_WITHOUT_ORDER = {"get": "Get", "scan": "Scan", "batch": "BatchGet"}


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
    given: object = subject.pattern.filter
    if given is not None and subject.kind in ("get", "batch"):
        kind = _WITHOUT_ORDER[subject.kind]
        raise DesignError(
            f"{name} has a filter, but a {kind} reads items by their keys and does not filter them; "
            "remove it, or read with Query"
        )
    if not isinstance(given, str | Condition | None):
        raise DesignError(
            f"{name} has a filter that is a {type_name(type(given))}; write it as text, such as "
            "\"visits > {least}\", or as a condition: User.visits > fields.parameter('least')"
        )
