"""Search plans: the plan of a `Nearest`, which searches a vector index.

The parameter with the name of the vector's field is the vector to search with. The partition and the filters of the
index are compared in the `key` and the `filter` of the pattern; what these leave out is compared with the parameters
of the same names, as far as there are any. A search for one entity compares its type, if the type is a filter.
"""

from dataclasses import replace

from tablewright.design.indexes import VectorIndex
from tablewright.design.keys.templates import Template
from tablewright.design.plans.filters import Filter, FilterError, compile_filter, parsed_filter
from tablewright.design.plans.key_conditions import KeyClause, parse_key_line
from tablewright.design.plans.plans import Plan
from tablewright.design.validation.pattern_rules import (
    check_filter,
    check_parameters,
    check_projection,
    check_returned_fields,
    check_settings,
    check_tables,
)
from tablewright.design.validation.subjects import PatternSubject
from tablewright.design.validation.vector_rules import (
    check_search_filter,
    check_search_settings,
    check_search_vector,
    check_searched,
    search_template,
    vector_field,
)


def compile_search(subject: PatternSubject) -> Plan:
    """The plan of a `Nearest`; `DesignError` if the pattern cannot work."""
    check_settings(subject)
    check_search_settings(subject)
    check_tables(subject)
    index = _index(subject)
    clauses: tuple[KeyClause, ...] = ()
    compiled: Filter | None = None
    if index is not None and (vector := check_search_vector(subject, index)) is not None:
        compiled = _filter(subject, index)
        clauses = _clauses(subject, index, compiled)
        if not subject.problems.recorded:  # further problems would only be consequences of the first
            check_searched(subject, index, clauses)
            check_parameters(subject, clauses, compiled, also=(vector,))
    check_returned_fields(subject)
    plan = Plan(subject.pattern, subject.kind, subject.layouts, subject.table, index, clauses, (), compiled)
    check_projection(subject, plan)
    return replace(plan, problems=tuple(subject.problems.recorded))


def _index(subject: PatternSubject) -> VectorIndex | None:
    """The vector index: the one that is named, or the only one for which there is a parameter with the vector."""
    table, pattern = subject.table, subject.pattern
    if pattern.index:
        return table.vector_index(pattern.index)
    layout = subject.layouts[0]
    fields = [(index, vector_field(layout, index)) for index in table.vector_indexes]
    fitting = [index for index, field in fields if field is not None]
    searched = [index for index, field in fields if field is not None and field.name in subject.parameters]
    indexes = searched or fitting
    if len(indexes) == 1:
        return indexes[0]
    entity = layout.entity.__name__
    if not indexes:
        known = ", ".join(f"{index.name} of {index.attribute}" for index in table.vector_indexes)
        has = f"its vector indexes are: {known}" if known else f"{table.name} has none"
        subject.report(
            "TW006",
            f"searches {entity}, which is in no vector index",
            f"add a vector index of one of its fields to {table.name}; {has}",
        )
    else:
        names = ", ".join(index.name for index in indexes)
        subject.report("TW005", f"may search {names}", f'name one of them: index = "{indexes[0].name}"')
    return None


def _filter(subject: PatternSubject, index: VectorIndex) -> Filter | None:
    """The compiled filter; None if there is none, or it is invalid."""
    given = subject.pattern.filter
    if given is None or isinstance(given, bool):
        return None
    try:
        compiled = compile_filter(given, subject.layouts)
    except FilterError as error:
        subject.report("TW005", f'has the filter "{error.source}": {error.why}', error.fix)
        return None
    check_search_filter(subject, index, parsed_filter(given), compiled.source)
    check_filter(subject, index, compiled)
    return compiled


def _clauses(subject: PatternSubject, index: VectorIndex, compiled: Filter | None) -> tuple[KeyClause, ...]:
    """The equalities of a search besides its filter: those of its key, then those that its parameters imply."""
    written = parse_key_line(subject.pattern.key) if subject.pattern.key else ()
    layout = subject.layouts[0]
    filtered = {
        layout.fields[name].stored for name in (compiled.fields if compiled else ()) if name in layout.fields
    }
    named = {clause.attribute for clause in written} | filtered
    implied = []
    for attribute in index.key:
        template = None if attribute in named else search_template(layout, attribute)
        if template is not None and _is_implied(subject, index, attribute, template):
            implied.append(KeyClause(attribute, "=", (template,)))
    return (*written, *implied)


def _is_implied(subject: PatternSubject, index: VectorIndex, attribute: str, template: Template) -> bool:
    if template.is_constant:  # the type: it cannot be compared with those of several entities
        return len(subject.layouts) == 1
    missing = [name for name in template.names if name not in subject.parameters]
    if missing and attribute in index.partition:
        subject.report(
            "TW005",
            f'needs {", ".join(missing)} for {attribute} = "{template.text}", the partition of {index.name}',
            "add it as a parameter",
        )
    return not missing
