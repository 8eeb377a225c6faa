"""Rules for the filter of a pattern: its parameters, their types, and the attributes that it may compare."""

from tablewright.design.layouts.compared_values import ValueMismatch, check_types
from tablewright.design.plans.filters import Filter
from tablewright.design.tables.tables import Index
from tablewright.design.validation.pattern_subjects import PatternSubject


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
    if subject.kind == "scan":
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
    for each in compiled.comparisons:
        try:
            check_types(each.annotation, subject.type_of(each.parameter), each.use)
        except ValueMismatch as error:
            subject.report(
                "TW005",
                f'has the filter "{compiled.source}", which compares {each.field} with {{{each.parameter}}}: '
                f"{each.field} {error}",
                f"give {each.parameter} the type of {each.field}",
            )
