"""Rules for vectors: the fields that vector indexes contain, and the patterns that search them."""

from collections.abc import Collection, Iterator
from typing import Any, get_args, get_origin

from tablewright.design.fields.conditions import Both, Comparison, Condition, FieldPath
from tablewright.design.fields.markers import Vector
from tablewright.design.indexes import VectorIndex
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.compared_values import ValueMismatch, check_types, stored_kind
from tablewright.design.layouts.field_values import type_name
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.tables import Table
from tablewright.design.validation.subjects import PatternSubject
from tablewright.dynamodb.limits import MAX_SEARCH_RESULTS
from tablewright.errors import DesignError

_STORED_AS = {"S": "text", "N": "a number", "B": "bytes"}
_TYPES = {kind: letter for letter, kind in _STORED_AS.items()}


def check_vectors(entity: str, table: Table, fields: Collection[FieldLayout]) -> None:
    """Reject vector fields that are no lists of numbers, and fields that do not fit the vector indexes of the table."""
    for index in table.vector_indexes:
        _check_stored_names(entity, index, fields)
    for field in fields:
        marker: Vector | None = field.marker(Vector)
        if marker is not None and not _is_list_of_numbers(field.annotation):
            raise DesignError(
                f"{entity}.{field.name} is a Vector, which must be a list of numbers, not a "
                f"{type_name(field.annotation)}; declare it as Annotated[list[float], "
                f"fields.Vector({marker.dimensions})]"
            )
        for index in table.vector_indexes:
            if field.stored == index.attribute:
                _check_vector(entity, field, marker, index)
            elif field.stored in index.key:
                _check_searched(entity, table, field, index)


def _check_stored_names(entity: str, index: VectorIndex, fields: Collection[FieldLayout]) -> None:
    """Reject an index with the Python name of a field that is stored under another name: it would stay empty."""
    stored = {field.stored for field in fields}
    for field in fields:
        if field.name in (index.attribute, *index.key) and field.name not in stored:
            raise DesignError(
                f"vector index {index.name} has {field.name}, which {entity} stores as {field.stored}; an index has "
                f'the names of stored attributes: write "{field.stored}"'
            )


def _check_vector(entity: str, field: FieldLayout, marker: Vector | None, index: VectorIndex) -> None:
    what = f"{entity}.{field.name} is stored as {field.stored}, the vector of {index.name}"
    if marker is None:
        raise DesignError(
            f"{what}, and has no size; declare it as Annotated[list[float], fields.Vector({index.dimensions})]"
        )
    if field.is_secret:
        raise DesignError(f"{what}, and is a secret, which cannot be searched; remove one of the markers")
    if marker.dimensions != index.dimensions:
        raise DesignError(
            f"{what}, and has {marker.dimensions} dimensions, but the index has {index.dimensions}; "
            "make them the same"
        )


def _check_searched(entity: str, table: Table, field: FieldLayout, index: VectorIndex) -> None:
    """Reject a partition or filter whose values DynamoDB would reject on every write, or that could not be named."""
    what = f"{entity}.{field.name} is searched in {index.name} as {field.stored}"
    if field.is_secret:
        raise DesignError(
            f"{what}, and is a secret; remove {field.stored} from the partition and filters of {index.name}"
        )
    kind, stored = table.type_of(field.stored), stored_kind(field.annotation)
    if stored is not None and stored != _STORED_AS[kind]:
        fix = (
            f'declare Table(..., types={{"{field.stored}": "{_TYPES[stored]}"}})'
            if stored in _TYPES
            else "a partition and a filter can be text, a number or bytes"
        )
        raise DesignError(f"{what} of type {kind}, and is stored as {stored}; {fix}")


def _is_list_of_numbers(annotation: Any) -> bool:
    return get_origin(annotation) is list and get_args(annotation)[0] in (float, int)


def check_search_settings(subject: PatternSubject) -> None:
    """Reject settings that a search does not have, and a limit that DynamoDB does not allow."""
    pattern, name = subject.pattern, subject.pattern.__name__
    limit: object = getattr(pattern, "limit", None)
    if type(limit) is not int or not 1 <= limit <= MAX_SEARCH_RESULTS:
        raise DesignError(
            f"{name} has limit = {limit!r}; a search returns 1 to {MAX_SEARCH_RESULTS} entities: write limit = 10"
        )
    if pattern.page_size is not None:
        raise DesignError(
            f"{name} has page_size, but a Nearest has no pages; write limit = {pattern.page_size}"
        )
    for setting in ("descending", "consistent", "cursor_ignores"):
        if getattr(pattern, setting):
            raise DesignError(f"{name} has {setting}, which a Nearest does not have; remove it")


def check_search_vector(subject: PatternSubject, index: VectorIndex) -> str | None:
    """The parameter with the vector: it has the name of the vector's field. None, if the pattern cannot work."""
    missing = [layout.entity.__name__ for layout in subject.layouts if vector_field(layout, index) is None]
    if missing:
        subject.report(
            "TW006",
            f"searches {index.name}, but {missing[0]} has no field that is stored as {index.attribute}, its vector, "
            "and is never returned",
            f"add a field: Annotated[list[float], fields.Vector({index.dimensions})]",
        )
        return None
    field = vector_field(subject.layouts[0], index)
    assert field is not None
    if field.name not in subject.parameters:
        subject.report(
            "TW005",
            f"has no vector to search {index.name} with",
            f"add the parameter {field.name}: list[float]",
        )
        return None
    if not _is_list_of_numbers(subject.type_of(field.name)):
        subject.report(
            "TW005",
            f"searches with {field.name}, a {type_name(subject.type_of(field.name))}",
            f"declare it as {field.name}: list[float]",
        )
        return None
    return field.name


def vector_field(layout: Layout, index: VectorIndex) -> FieldLayout | None:
    """The field of an entity that is the vector of an index; None if the entity is not in the index."""
    return layout.field_stored_as(index.attribute)


def check_searched(subject: PatternSubject, index: VectorIndex, clauses: tuple[KeyClause, ...]) -> None:
    """Report a key condition that is no equality of the partition and of filters, or that never matches."""
    named = [clause.attribute for clause in clauses]
    for clause in clauses:
        if clause.attribute not in index.key:
            known = ", ".join(index.key) or "none"
            subject.report(
                "TW005",
                f'has the key condition "{clause}", which is neither the partition nor a filter of {index.name}',
                f"these are: {known}; add {clause.attribute} to the filters of {index.name}, or remove the condition",
            )
        elif clause.operator != "=" or named.count(clause.attribute) > 1:
            subject.report(
                "TW301",
                f'has the key condition "{clause}"; a search compares an attribute once, and with = only',
                f"write {clause.attribute} = ...",
            )
        else:
            _check_template(subject, index, clause)
    for attribute in index.partition:
        layout = subject.layouts[0]
        if attribute in named:
            continue
        if search_template(layout, attribute) is None:
            subject.report(
                "TW006",
                f"searches {index.name} by {attribute}, which {layout.entity.__name__} does not have, so it is never "
                "returned",
                f"add a field that is stored as {attribute}",
            )
        else:
            subject.report(
                "TW301",
                f"searches {index.name} without its partition {attribute}",
                f"add {attribute} = ... to its key",
            )


def _check_template(subject: PatternSubject, index: VectorIndex, clause: KeyClause) -> None:
    for layout in subject.layouts:
        template = search_template(layout, clause.attribute)
        if template is None and clause.attribute in index.partition:
            subject.report(
                "TW006",
                f"searches {index.name} by {clause.attribute}, which {layout.entity.__name__} does not have, "
                "so it is never returned",
                f"add a field that is stored as {clause.attribute}",
            )
        elif template is not None and not clause.may_match(template):
            subject.report(
                "TW006",
                f'searches {clause}, but {layout.entity.__name__} writes {clause.attribute} = "{template.text}"',
                f"this never matches: change the key condition, or the template of {layout.entity.__name__}",
            )
        elif template is not None and template.is_value and clause.templates[0].is_value:
            _check_parameter(subject, layout.fields[template.names[0]], clause.templates[0].names[0])


def _check_parameter(subject: PatternSubject, field: FieldLayout, parameter: str) -> None:
    if parameter not in subject.parameters:
        return
    try:
        check_types(field.annotation, subject.type_of(parameter), "equal")
    except ValueMismatch as error:
        subject.report(
            "TW005",
            f"compares {field.name} with {parameter}: {field.name} {error}",
            f"give {parameter} the type of {field.name}",
        )


def search_template(layout: Layout, attribute: str) -> Template | None:
    """The template of an attribute that vector indexes are searched by: a field, a key, or the type of the entity."""
    field = layout.field_stored_as(attribute)
    if field is not None:
        return Template(f"{{{field.name}}}")
    for key in (layout.primary, *layout.indexes):
        if attribute in dict(key.parts):
            return dict(key.parts)[attribute]
    if attribute == layout.table.discriminator and layout.type_name is not None:
        return Template(layout.type_name)
    return None


def check_search_filter(
    subject: PatternSubject, index: VectorIndex, condition: Condition, source: str
) -> None:
    """Report a filter of a search that is more than equalities of the filters of its index, joined with AND."""
    seen: set[str] = set()
    for field in _compared(condition):
        if field is None or field in seen:
            subject.report(
                "TW005",
                f'has the filter "{source}"; a search compares each of its filters once, with =, joined with AND',
                "filter the result in Python, or write such a condition",
            )
            return
        stored = {layout.fields[field].stored for layout in subject.layouts if field in layout.fields}
        if not stored <= set(index.filters):
            is_partition = stored <= set(index.partition)
            place = "the partition of" if is_partition else "not a filter of"
            fix = (
                f'compare it in the key: key = "{index.partition[0]} = ..."'
                if is_partition
                else f"add it to the filters of {index.name}"
            )
            subject.report(
                "TW005", f'has the filter "{source}" on {field}, which is {place} {index.name}', fix
            )
            return
        seen.add(field)


def _compared(condition: Condition) -> Iterator[str | None]:
    """The field of each equality; None for any other condition."""
    match condition:
        case Both("AND", left, right):
            yield from _compared(left)
            yield from _compared(right)
        case Comparison("=", FieldPath() as path, other) | Comparison("=", other, FieldPath() as path) if len(
            path.parts
        ) == 1 and not isinstance(other, FieldPath):
            yield path.name
        case _:
            yield None
