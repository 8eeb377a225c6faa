"""Filters of the items view: an entity, a filter text over field names, and conditions on any attribute.

Every filter becomes part of one FilterExpression. Secret attributes can only be tested for existence, as a filter
would otherwise find their values by trial.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from pydantic import Field

from tablewright.access.condition_text import Aliases
from tablewright.access.items.item_values import to_attribute
from tablewright.console.endpoints import Body
from tablewright.console.items.key_texts import key_attribute
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import secret_attributes
from tablewright.design.argument_errors import suggestion
from tablewright.design.fields.markers import Unique
from tablewright.design.indexes import Index
from tablewright.design.layouts.layouts import KEPT, LOCK, KeyLayout, Layout
from tablewright.design.plans.filters import Filter, FilterError, compile_filter
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import AttributeValue, type_of
from tablewright.dynamodb.values.numbers import canonical
from tablewright.errors import ServiceError, UsageError, ValueNotStorable

Operator: TypeAlias = Literal[
    "=", "<>", "<", "<=", ">", ">=", "between", "begins_with", "contains", "exists", "not_exists"
]
ValueType: TypeAlias = Literal["auto", "S", "N", "BOOL"]

_VALUE_COUNT = {"between": 2, "exists": 0, "not_exists": 0}
_UNORDERED = ("BOOL",)
_PART = re.compile(r"\.?([^.\[\]]+)|\[([0-9]+)\]")


class AttributeCondition(Body):
    """A condition on an attribute or a nested part of it.

    `attribute` is a path, `address.city` or `tags[0]`, or the list of its parts, for names that contain such
    characters. The first part is an attribute, or a field of an entity. A value of the type `auto` that reads as a
    number or a truth value is compared as both.
    """

    attribute: str | list[str | int] = Field(min_length=1)
    operator: Operator
    values: list[str] = Field(default=[])
    type: ValueType = "auto"


def chosen_layouts(opened: OpenDesign, table: Table, entity: str | None) -> list[Layout]:
    """Return the layout of the chosen entity, or of all entities of a table."""
    layouts = [kind.layout for kind in opened.design.entities_of(table)]
    if entity is None:
        return layouts
    chosen = [layout for layout in layouts if layout.entity.__name__ == entity]
    if not chosen:
        names = [layout.entity.__name__ for layout in layouts]
        raise UsageError(
            f"{opened.db.context.table_name(table)} has no entity {entity}; {suggestion(entity, names)}"
        )
    return chosen


def entity_expression(aliases: Aliases, layout: Layout, index: Index | None, *, is_scan: bool) -> str | None:
    """Return a filter that all items of an entity pass: entities, copies and locks; None if there is no such filter.

    It may let items of other entities pass; the caller identifies each item.
    """
    table = layout.table
    typed = index is None or index.holds(table, table.discriminator)
    forms = list(_stored_forms(layout))
    if not all((type_name and typed) or (is_scan and _has_prefix(table, key)) for type_name, key in forms):
        return None
    terms = [
        f"{aliases.name(table.discriminator)} = {aliases.value({'S': type_name})}"
        if type_name and typed
        else _prefixes(aliases, table, key)
        for type_name, key in forms
    ]
    return any_of(list(dict.fromkeys(terms)))


def _stored_forms(layout: Layout) -> Iterator[tuple[str | None, KeyLayout | None]]:
    """The type and the key of each kind of item that an entity stores."""
    yield layout.type_name, layout.primary
    for copy in layout.copies:
        yield copy.copy.type or layout.type_name, copy.primary
    for lock in layout.locks:
        yield lock.type_name, lock.key
    if any(layout.lock_of(field.name) is None for field, _ in layout.marked(Unique)):
        yield LOCK, None


def _has_prefix(table: Table, key: KeyLayout | None) -> bool:
    return key is not None and any(
        template.prefix and table.type_of(attribute) == "S" for attribute, template in key.parts
    )


def _prefixes(aliases: Aliases, table: Table, key: KeyLayout | None) -> str:
    """A filter for the literal beginnings of key templates."""
    terms = [
        f"begins_with({aliases.name(attribute)}, {aliases.value({'S': template.prefix})})"
        for attribute, template in (key.parts if key else ())
        if template.prefix and table.type_of(attribute) == "S"
    ]
    return f"({' AND '.join(terms)})"


def prefix_expression(aliases: Aliases, table: Table, attribute: str, prefix: str) -> str:
    """Return a filter for the beginning of a key attribute."""
    if table.type_of(attribute) == "N":
        raise UsageError(f"{attribute} is a number, which has no prefix; give the whole partition key")
    value = key_attribute(table, attribute, prefix)
    return f"begins_with({aliases.name(attribute)}, {aliases.value(value)})"


def text_filter(layouts: Sequence[Layout], text: str) -> tuple[Filter, dict[str, AttributeValue]]:
    """Return a compiled filter text over the fields of these entities, and its values."""
    if not layouts:
        raise UsageError(
            "the table has no entities, so a filter has no fields; use a condition on an attribute"
        )
    try:
        compiled = compile_filter(text, layouts)
        values = {alias: to_attribute(value) for alias, value in compiled.values.items()}
    except FilterError as error:
        raise UsageError(f"filter: {error}") from None
    except ValueNotStorable as error:
        raise UsageError(f"filter: {error}") from None
    if compiled.parameters:
        name = compiled.parameters[0]
        raise UsageError(f"filter: {{{name}}} is a parameter, and there is no value for it; write the value")
    return compiled, values


def condition_expression(
    opened: OpenDesign,
    table: Table,
    layouts: Sequence[Layout],
    aliases: Aliases,
    condition: AttributeCondition,
) -> str:
    """Return the filter of one condition."""
    parts = _parts(condition.attribute)
    parts[0] = _stored_name(layouts, str(parts[0]))
    _check_secret(opened, table, parts, condition.operator)
    needed = _VALUE_COUNT.get(condition.operator, 1)
    if len(condition.values) != needed:
        raise UsageError(f"{condition.operator} takes {needed} value(s), got {len(condition.values)}")
    path = _path(aliases, parts)
    if condition.operator in ("exists", "not_exists"):
        return f"attribute_{condition.operator}({path})"
    if condition.operator == "<>":  # of another type is different too
        terms = [f"{path} <> {aliases.value(value)}" for (value,) in _typed(condition)]
        return f"(attribute_exists({path}) AND {' AND '.join(terms)})"
    terms = [_term(aliases, path, condition.operator, values) for values in _typed(condition)]
    return any_of(terms)


def any_of(terms: Sequence[str]) -> str:
    """Return a term that holds if one of these does; DynamoDB rejects parentheses around a single one in parentheses.

    >>> any_of(["(a AND b)"]), any_of(["a", "b"])
    ('(a AND b)', '(a OR b)')
    """
    return terms[0] if len(terms) == 1 else f"({' OR '.join(terms)})"


def _term(aliases: Aliases, path: str, operator: str, values: Sequence[AttributeValue]) -> str:
    names = [aliases.value(value) for value in values]
    match operator:
        case "=":
            return f"{path} = {names[0]}"
        case "contains":
            return f"contains({path}, {names[0]})"
        case "begins_with":
            test = f"begins_with({path}, {names[0]})"
        case "between":
            test = f"{path} BETWEEN {names[0]} AND {names[1]}"
        case _:
            test = f"{path} {operator} {names[0]}"
    # moto fails where a value is absent or of another type, unless the type is tested first.
    kind = aliases.value({"S": type_of(values[0])})
    return f"(attribute_type({path}, {kind}) AND {test})"


def _parts(attribute: str | list[str | int]) -> list[str | int]:
    if not isinstance(attribute, str):
        path: list[str | int] = attribute
    else:
        at, path = 0, []
        while match := _PART.match(attribute, at):
            path.append(int(match[2]) if match[2] else match[1].strip())
            at = match.end()
        if at < len(attribute):
            raise UsageError(f"{attribute!r} is not an attribute; write for example address.city or tags[0]")
    if not path or not isinstance(path[0], str):
        raise UsageError("a condition begins with the name of an attribute")
    return path


def _stored_name(layouts: Sequence[Layout], name: str) -> str:
    """The attribute of a field; a name that is no field is an attribute itself."""
    return next((layout.fields[name].stored for layout in layouts if name in layout.fields), name)


def _check_secret(opened: OpenDesign, table: Table, parts: Sequence[str | int], operator: str) -> None:
    secrets = secret_attributes(opened, table)
    hidden = parts[0] in secrets or (parts[0] == KEPT and bool(secrets))
    if hidden and (operator not in ("exists", "not_exists") or len(parts) > 1):
        raise UsageError(f"{parts[0]} is secret, so its value cannot be compared; test whether it exists")


def _path(aliases: Aliases, parts: Sequence[str | int]) -> str:
    text = aliases.name(str(parts[0]))
    for part in parts[1:]:
        text += f"[{part}]" if isinstance(part, int) else f".{aliases.name(part)}"
    return text


def _typed(condition: AttributeCondition) -> list[list[AttributeValue]]:
    """The values in each type that is meant; DynamoDB compares only values of one type."""
    kinds = ("S", "N", "BOOL") if condition.type == "auto" else (condition.type,)
    candidates = [
        [_value(kind, text) for text in condition.values] for kind in kinds if _fits(kind, condition)
    ]
    typed = [[value for value in candidate if value is not None] for candidate in candidates]
    whole = [candidate for candidate in typed if len(candidate) == len(condition.values)]
    if not whole:
        words = {"N": "a number", "BOOL": "true or false"}.get(condition.type, "text")
        raise UsageError(f"{condition.operator} with {condition.values} needs {words}; choose another type")
    return whole


def _fits(kind: str, condition: AttributeCondition) -> bool:
    if condition.operator == "begins_with":
        return kind == "S"
    return condition.operator in ("=", "<>", "contains") or kind not in _UNORDERED


def _value(kind: str, text: str) -> AttributeValue | None:
    match kind:
        case "N":
            try:
                return {"N": canonical(text.strip())}
            except ServiceError:
                return None
        case "BOOL":
            return {"BOOL": text.strip() == "true"} if text.strip() in ("true", "false") else None
        case _:
            return {"S": text}
