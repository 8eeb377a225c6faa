"""Rules for the keys of an entity and of its copies.

Rules for the conditions of sparse keys: a condition that never or always holds leaves an index empty, or full.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from itertools import combinations
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel

from tablewright.design.fields.markers import Counter, Hashed, Version
from tablewright.design.keys.key_formats import Descending
from tablewright.design.keys.keys import Sparse
from tablewright.design.keys.number_formats import Width, is_number
from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.keys.time_formats import is_a
from tablewright.design.layouts.compared_values import ValueMismatch, checked_value, stored_kind
from tablewright.design.layouts.field_values import type_name
from tablewright.design.layouts.layouts import CopyLayout, FieldLayout, KeyLayout
from tablewright.design.problems import Problems
from tablewright.design.validation.subjects import Subject
from tablewright.errors import DesignError

_KEY_TYPES = (str, int, datetime, date, UUID)
_STORED_AS = {"S": "text", "N": "a number", "B": "bytes"}


def can_be_key(annotation: Any, *, bare: bool) -> bool:
    """Whether values of a type can be part of a key; bytes only as the whole key (`bare`)."""
    if get_origin(annotation) is Literal:
        return all(type(value) in (str, int) for value in get_args(annotation))
    if not isinstance(annotation, type) or annotation is bool:
        return False
    if issubclass(annotation, Enum):
        return all(can_be_key(type(member.value), bare=False) for member in annotation)
    return issubclass(annotation, _KEY_TYPES) or (bare and annotation is bytes)


def check_template(
    subject: Subject, attribute: str, template: Template, key_name: str, *, is_primary: bool
) -> None:
    """Report a template whose fields, format or attribute do not fit."""
    shown = f'"{template.text}" ({key_name}, {attribute})'
    check_template_fields(subject, attribute, template, shown)
    for part in template.fields:
        field = subject.fields.get(part.name)
        if field is not None and field.optional and is_primary:
            subject.report(
                "TW102",
                f"uses {part.name}, which may be None, in the key {shown}",
                "a primary key always has a value: make the field required",
                part.name,
            )
    _check_attribute(subject, attribute, template, shown)


def check_template_fields(subject: Subject, attribute: str, template: Template, shown: str) -> None:
    """Report a template whose fields are unknown, or do not fit their format or the type of the attribute."""
    for part in template.fields:
        field = subject.require_field(part.name, shown)
        if field is not None:
            _check_template_field(subject, part, field, attribute, shown, is_whole=template.is_value)
    _check_attribute_type(subject, attribute, template)


def check_sparse(subject: Subject, sparse: Sparse, attributes: tuple[str, ...], key_name: str) -> None:
    """Report a sparse key that every item has: at least one attribute must be absent when the condition is false."""
    for name in sparse.names:
        subject.require_field(name, f"Sparse(when=...) of {key_name}")
    own = {*subject.table.key, subject.table.discriminator}
    stored = {
        field.stored: field
        for field in subject.fields.values()
        if not (field.is_computed or sparse.goes_with(field.name))
    }
    if set(attributes) <= {*stored, *own}:
        for field in (stored[attribute] for attribute in attributes if attribute in stored):
            subject.report(
                "TW004",
                f"has a Sparse key for {key_name}, but its attribute {field.stored} is the field {field.name}, "
                "which is always stored",
                f'give the index an attribute of its own, or write Sparse(..., when="{field.name}")',
                field.name,
            )
    if set(attributes) <= own:
        subject.report(
            "TW004",
            f"has a Sparse key for {key_name}, but every item has {', '.join(attributes)}",
            "give the index an attribute of its own",
            attributes[0],
        )


def check_keys(entity: str, keys: Sequence[KeyLayout], problems: Problems) -> None:
    """Report an attribute that two keys of an item fill differently: the item is missing from one of the indexes."""
    for one, other in combinations(keys, 2):
        theirs = dict(other.parts)
        for attribute, template in one.parts:
            if theirs.get(attribute, template) != template:
                problems.add(
                    "TW004",
                    entity,
                    f'writes {attribute} as "{template.text}" ({_key_name(one)}) and as '
                    f'"{theirs[attribute].text}" ({_key_name(other)})',
                    "give both the same template, or one of them an attribute of its own",
                    field=attribute,
                )


def check_primary(
    entity: str, primary: KeyLayout, fields: Mapping[str, FieldLayout], problems: Problems
) -> None:
    """Report a primary key with a field that the library changes: the key of an item cannot change."""
    for field in (fields[name] for name in primary.names if name in fields):
        changing = [kind.__name__ for kind in (Counter, Version) if field.marker(kind)]
        if field.automatic == "touched" or changing:
            shown = " / ".join(f'"{template.text}"' for _, template in primary.parts)
            why = f"a {changing[0]}" if changing else "set at every write"
            problems.add(
                "TW103",
                entity,
                f"uses {field.name}, which is {why}, in its primary key {shown}",
                f"use fields that never change, and index {field.name}",
                field=field.name,
            )


def check_copy(entity: str, copy: CopyLayout, primary: KeyLayout, fields: Mapping[str, FieldLayout]) -> None:
    """Reject `each` of a field that is no list, and copies that would all have the same key, or that of the entity."""
    if copy.primary.parts == primary.parts:
        shown = " / ".join(f'"{template.text}"' for _, template in primary.parts)
        raise DesignError(
            f"{entity}.{copy.name} has the key of {entity} itself, {shown}; give the copy another key"
        )
    repeated = fields.get(copy.copy.each or "")
    if repeated is not None and _origin(repeated.annotation) not in (list, tuple, set, frozenset):
        raise DesignError(
            f"{entity}.{copy.name} is a copy for each element of {repeated.name}, "
            f"which is a {type_name(repeated.annotation)}; make it a list, or remove each and name"
        )
    identified = {name for _, template in copy.primary.parts for name in template.parsed_names}
    if copy.copy.name is not None and copy.copy.name not in identified:
        shown = " / ".join(f'"{template.text}"' for _, template in copy.primary.parts)
        raise DesignError(
            f"{entity}.{copy.name} is a copy for each element of {copy.copy.each}, but its key {shown} does not "
            f"contain the element, so all copies would have the same key; put {{{copy.copy.name}}} into primary=..."
        )


def _check_template_field(
    subject: Subject, part: TemplateField, field: FieldLayout, attribute: str, shown: str, *, is_whole: bool
) -> None:
    kind = type_name(field.annotation)
    fix = _format_fix(part, field)
    if fix:
        subject.report(
            "TW101",
            f"formats {part.name}, a {kind}, as {part} in the key {shown}",
            f"{fix}, or remove the format",
            part.name,
        )
    base = part.key_format.base if isinstance(part.key_format, Descending) else part.key_format
    has_width = isinstance(base, Width) and is_number(field.annotation)
    is_storable = not isinstance(field.annotation, type) or stored_kind(field.annotation) is not None
    is_number_key = is_whole and subject.table.type_of(attribute) == "N" and is_storable
    if fix or has_width or is_number_key or can_be_key(field.annotation, bare=is_whole):
        return
    subject.report(
        "TW101",
        f"uses {part.name}, a {kind}, in the key {shown}",
        _type_fix(part.name, field.annotation, attribute, is_whole=is_whole),
        part.name,
    )


def _format_fix(part: TemplateField, field: FieldLayout) -> str:
    """How to repair a key format that does not fit the field; empty if it fits."""
    if part.key_format is None:
        return ""
    fix = part.key_format.fix(part.name, field.annotation)
    if not fix and isinstance(part.key_format, Width | Descending) and field.may_be_negative:
        return part.key_format.signed_fix(part.name)
    return fix


def _type_fix(name: str, annotation: Any, attribute: str, *, is_whole: bool) -> str:
    """How to put a field into a key whose plain text is not suitable."""
    if is_number(annotation):
        number_key = f', or make the key a number: types={{"{attribute}": "N"}}' if is_whole else ""
        return f"give it a width: {{{name}:012.2}}{number_key}"
    if annotation is bool:
        return "use a string such as 'open', or Sparse(..., when=...) for an index of some items"
    if is_a(annotation, timedelta):
        return "store a number of seconds as an int"
    return "a key can contain strings, numbers, dates and enums"


def _check_attribute_type(subject: Subject, attribute: str, template: Template) -> None:
    """Report a template whose values are not of the type of the key attribute."""
    kind = subject.table.type_of(attribute)
    suitable = template.is_number if kind == "N" else template.is_value
    if kind != "S" and not suitable:
        subject.report(
            "TW101",
            f'has the template "{template.text}" for {attribute}, which is of type {kind}',
            _template_fix(template, kind),
            attribute,
        )
        return
    field = subject.fields.get(template.names[0]) if template.is_value else None
    stored = stored_kind(field.annotation) if field and not field.is_secret else None
    if field is None or stored is None or attribute not in subject.table.key_attributes:
        return
    if kind == "S" and field.stored != attribute:  # the key is the text of the value
        return
    if stored != _STORED_AS[kind]:
        subject.report(
            "TW101",
            f"has the key {attribute} of type {kind}, but its value is {field.name}: {type_name(field.annotation)}, "
            f"which is stored as {stored}",
            _stored_fix(field, attribute, kind, stored),
            field.name,
        )


def _template_fix(template: Template, kind: str) -> str:
    if kind == "N" and len(template.parts) == 1 and template.fields:
        part = template.fields[0]
        if isinstance(part.key_format, Descending):
            return f"write {{{part.name}}}, and set descending = True in the pattern"
        if isinstance(part.key_format, Width):
            return f"write {{{part.name}}}: DynamoDB sorts numbers by their value"
    return "make the template one field, without other text"


def _stored_fix(field: FieldLayout, attribute: str, kind: str, stored: str) -> str:
    """How to make a field fit the type of its key attribute."""
    keeps = {"text": "S", "a number": "N", "bytes": "B"}.get(stored)
    retype = "" if keeps is None else f'declare Table(..., types={{"{attribute}": "{keeps}"}})'
    if keeps == "S":
        retype = f"remove {attribute} from the types of the table"
    formats = {datetime: "epoch_ms", date: "%Y%m%d"}
    time_format = next(
        (text for time_type, text in formats.items() if is_a(field.annotation, time_type)), None
    )
    if kind == "N" and time_format:
        own = " in an attribute of its own" if field.stored == attribute else ""
        return f"{retype}: its text sorts by time; or write {{{field.name}:{time_format}}}{own}"
    return retype or f"use another field for {attribute}"


def _check_attribute(subject: Subject, attribute: str, template: Template, shown: str) -> None:
    """Report a key attribute that also stores a field or the type, with another value."""
    same = next(
        (field for field in subject.fields.values() if field.stored == attribute and not field.is_computed),
        None,
    )
    if same is not None and template.text != f"{{{same.name}}}":
        subject.report(
            "TW004",
            f"stores the field {same.name} as {attribute}, which is also the key {shown}",
            f'give the field another alias, or make the template "{{{same.name}}}"',
            same.name,
        )
    is_discriminator = attribute == subject.table.discriminator
    if same is None and is_discriminator and subject.type_name not in (None, template.text):
        subject.report(
            "TW004",
            f"writes its type, {subject.type_name!r}, as {attribute}, which is also the key {shown}",
            f'make the template "{subject.type_name}", or remove it',
            attribute,
        )


def _key_name(key: KeyLayout) -> str:
    return key.index.name if key.index else "primary"


def _origin(annotation: Any) -> Any:
    return get_origin(annotation) or annotation


_ALWAYS_TRUE = (Enum, date, UUID, BaseModel)
"""Types whose values all count as true."""


def check_sparse_condition(subject: Subject, sparse: Sparse, key_name: str) -> None:
    """Report values that a field can never have, and fields that are always true."""
    if isinstance(sparse.when, Mapping):
        for name, value in sparse.when.items():
            field = subject.fields.get(name)
            if field is not None:
                _check_value(subject, field, value, key_name)
        return
    for field in (subject.fields[name] for name in sparse.names if name in subject.fields):
        if not field.optional and _is_a(field.annotation, _ALWAYS_TRUE) and not _is_falsy(field.annotation):
            subject.report(
                "TW101",
                f'has a Sparse key for {key_name} with when="{field.name}", which always holds',
                f'name the value: when={{"{field.name}": ...}}, or make the field optional',
                field.name,
            )


def _check_value(subject: Subject, field: FieldLayout, value: Any, key_name: str) -> None:
    problem = _problem(field, value)
    if problem:
        subject.report(
            "TW101",
            f"has a Sparse key for {key_name} whose condition never holds: {field.name} {problem}",
            f'give a value of {field.name} in when={{"{field.name}": ...}}',
            field.name,
        )


def _problem(field: FieldLayout, value: Any) -> str:
    """Why a field never has that value; empty if it can have it."""
    if field.marker(Hashed):
        return "is stored as a hash, and cannot be compared after it was read"
    if value is None:
        return "" if field.optional else "is never None"
    try:
        checked = checked_value(field.annotation, value)
    except ValueMismatch as error:
        return str(error)
    plain = value.value if isinstance(value, Enum) else value
    if _is_a(field.annotation, (BaseModel,)) and not isinstance(value, BaseModel):
        return f"must be compared with a {field.annotation.__name__}"
    if checked != plain or (field.annotation is Decimal and isinstance(value, float)):
        return f"must be compared with a {field.annotation.__name__}, got {value!r}"
    return ""


def _is_a(annotation: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, kinds)


def _is_falsy(annotation: type) -> bool:
    """Whether an enum has a member that counts as false, such as the 0 of an IntEnum."""
    return issubclass(annotation, Enum) and not all(annotation)
