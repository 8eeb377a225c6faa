"""A sort key contains numbers or times of different lengths, so it sorts wrongly.

Text sorts character by character: "10" comes before "9", and "10:00:00.500Z" before "10:00:00Z". Give numbers a width
(`{level:06}`) or their own sort key of type N. Give times the type `Timestamp` or `date`: all their texts have the same
length. If a text always has the same length, declare it: `Field(min_length=24, max_length=24)`.

Parts of a date sort by time only if the largest part is first: `%Y-%m-%d`, not `%d.%m.%Y`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.written_keys import WrittenKey, written_keys
from tablewright.design.designs import Design
from tablewright.design.keys.key_formats import Descending
from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.keys.time_formats import Calendar
from tablewright.design.layouts.field_values import is_time_field
from tablewright.design.layouts.layouts import FieldLayout

CODE = "TW105"
TITLE = "Sort key of variable width"


def check(design: Design) -> Iterator[Finding]:
    """Numbers and times without a width in sort keys; one finding for each field."""
    found: dict[str, Finding] = {}
    for written in written_keys(design):
        for attribute, template in written.sort:
            for part in template.fields:
                if (calendar := _out_of_order(part)) is not None:
                    where = f"{written.owner}.{part.name}"
                    found.setdefault(where, _order_finding(where, written, attribute, template, calendar))
            for field in written.fields_in(((attribute, template),)):
                fix = _fix(written, attribute, template, field)
                if fix is not None:
                    where = f"{written.owner}.{field.name}"
                    found.setdefault(where, _finding(where, written, attribute, template, field, fix))
    yield from found.values()


def _out_of_order(part: TemplateField) -> Calendar | None:
    """The format of a date whose parts do not sort by time."""
    given = part.key_format.base if isinstance(part.key_format, Descending) else part.key_format
    return given if isinstance(given, Calendar) and given.in_order != given.text else None


def _order_finding(
    where: str, written: WrittenKey, attribute: str, template: Template, calendar: Calendar
) -> Finding:
    return Finding(
        CODE,
        "warning",
        where,
        f'{written.owner} sorts {written.place} by {attribute} = "{template.text}", where a smaller part of the time '
        "comes before a larger one, so that items are not in the order of time",
        f"write {calendar.in_order}",
        written.layout.entity,
    )


def _fix(written: WrittenKey, attribute: str, template: Template, field: FieldLayout) -> str | None:
    kind = field.annotation
    if all(part.shape for part in template.fields if part.name == field.name):
        return None
    is_number = written.layout.table.type_of(attribute) == "N"
    if isinstance(kind, type) and issubclass(kind, int) and not is_number:
        return f'give it a width: "{template.text.replace(f"{{{field.name}}}", f"{{{field.name}:010}}")}"'
    if kind is str and is_time_field(field) and not _is_bounded(written, field):
        return f"declare {field.name}: Timestamp, which is always 24 characters"
    return None


def _is_bounded(written: WrittenKey, field: FieldLayout) -> bool:
    info = written.layout.entity.model_fields.get(field.name)
    limits = {
        name: length
        for limit in (info.metadata if info else ())
        for name in ("min_length", "max_length")
        if (length := getattr(limit, name, None)) is not None
    }
    return len(limits) == 2 and len(set(limits.values())) == 1


def _finding(
    where: str, written: WrittenKey, attribute: str, template: Template, field: FieldLayout, fix: str
) -> Finding:
    example = (
        '"10" sorts before "9"' if field.annotation is not str else '"10:00:00.5Z" sorts before "10:00:00Z"'
    )
    return Finding(
        CODE,
        "warning",
        where,
        f'{written.owner} sorts {written.place} by {attribute} = "{template.text}", where {field.name} has no fixed '
        f"width: {example}",
        fix,
        written.layout.entity,
    )
