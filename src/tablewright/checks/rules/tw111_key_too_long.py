"""A key can be longer than DynamoDB allows.

A partition key has at most 2,048 bytes and a sort key at most 1,024, in the table and in every index. Writing an entity
with a longer key fails, also when only the key of an index is too long. The length is computed from the template and
from the limits of its fields, `Field(max_length=...)`.

It is an error if the limits allow a longer key; a note if they allow it only for text outside ASCII, which takes 2 or 3
bytes for each character. A text field without a limit is not reported.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.written_keys import WrittenKey, written_keys
from tablewright.design.designs import Design
from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.layouts.field_values import KeyLength, longest_text
from tablewright.dynamodb.limits import MAX_PARTITION_KEY, MAX_SORT_KEY

CODE = "TW111"
TITLE = "Key that can be too long"

_LONGEST = {"partition": MAX_PARTITION_KEY, "sort": MAX_SORT_KEY}


def check(design: Design) -> Iterator[Finding]:
    """The keys of entities and copies whose longest text is over the limit."""
    for written in written_keys(design):
        for kind, parts in (("partition", written.partition), ("sort", written.sort)):
            for attribute, template in parts:
                finding = _finding(written, attribute, template, kind)
                if finding is not None:
                    yield finding


def _finding(written: WrittenKey, attribute: str, template: Template, kind: str) -> Finding | None:
    length = _longest(written, template)
    most = _LONGEST[kind]
    if length is None or length.bytes <= most:
        return None
    certain = length.characters > most
    shown = f"{length.characters:,} characters" if certain else f"{length.bytes:,} bytes outside ASCII"
    return Finding(
        CODE,
        "error" if certain else "info",
        f"{written.owner}.{attribute}",
        f'{written.owner} has the key "{template.text}" in {written.place}, which may have {shown}; '
        f"a {kind} key has at most {most:,} bytes",
        f"lower the max_length of {', '.join(dict.fromkeys(template.names))}, or put an id into the key",
        written.layout.entity,
    )


def _longest(written: WrittenKey, template: Template) -> KeyLength | None:
    """The longest text of a template; None if a field has no limit."""
    total = KeyLength(0, 0)
    for part in template.parts:
        length = KeyLength.of(part) if isinstance(part, str) else _part_length(written, part)
        if length is None:
            return None
        total = total + length
    return total


def _part_length(written: WrittenKey, part: TemplateField) -> KeyLength | None:
    if part.shape:
        return KeyLength.of(part.shape)
    field = written.fields.get(part.name)
    return None if field is None else longest_text(field, written.layout)
