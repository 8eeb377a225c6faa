"""Rules for the fields of an entity: names, stored names, markers and reserved attributes."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from tablewright.design.fields.markers import Counter, Ttl, Unique, Version
from tablewright.design.layouts.field_values import type_name
from tablewright.design.layouts.layouts import FieldLayout
from tablewright.design.layouts.reserved_attributes import KEPT, OWNER, SCHEMA_VERSION
from tablewright.design.tables.tables import Table
from tablewright.design.validation.key_rules import can_be_key
from tablewright.design.validation.shadowed_names import PYDANTIC_NAMES
from tablewright.design.validation.subjects import Subject
from tablewright.errors import DesignError

RESERVED_NAMES = frozenset(
    {"layout", "keys", "suppress", "changed", "unknown_attributes", "is_partial", "mark_partial"}
    | PYDANTIC_NAMES
)
"""Attributes of every entity. No field may have such a name."""


def check_names(entity: str, names: Mapping[str, str]) -> None:
    """Reject fields, given with their stored names, that hide an attribute of every entity."""
    for name, stored in names.items():
        if name == "keys":
            raise DesignError(
                f"{entity} declares keys as a field; write it without a type: keys = Keys(primary=...). "
                f'A field of this name is keys_: Annotated[..., Field(alias="{stored}")]'
            )
        if name in RESERVED_NAMES:
            raise DesignError(
                f"{entity} has a field {name}, which is an attribute of every entity; "
                f'call it {name}_: Annotated[..., Field(alias="{stored}")]'
            )


def check_fields(entity: str, table: Table, fields: Iterable[FieldLayout]) -> None:
    """Reject reserved names, two fields with one stored name, and markers that do not fit the type of the field."""
    stored: dict[str, FieldLayout] = {}
    versions = []
    for field in fields:
        check_names(entity, {field.name: field.stored})
        other = stored.setdefault(field.stored, field)
        if other is not field:
            raise DesignError(
                f"{entity} stores {other.name} and {field.name} both as {field.stored}; give one of them an alias"
            )
        if field.marker(Version):
            versions.append(field.name)
        _check_marker_types(entity, table, field)
    if len(versions) > 1:
        raise DesignError(f"{entity} has two Version fields, {versions[0]} and {versions[1]}; remove one")


def check_markers(subject: Subject) -> None:
    """Report markers that name unknown fields, and a TTL field that the table does not use."""
    for field in subject.fields.values():
        for marker in field.markers:
            for name in _named_by(marker):
                named = subject.require_field(name, f"{type(marker).__name__} of {field.name}")
                if named is not None and named.is_computed and not isinstance(marker, Unique):
                    raise DesignError(
                        f"{subject.name}.{field.name} refers to {name}, which is computed and not stored; "
                        "name a stored field"
                    )
            if isinstance(marker, Ttl) and subject.table.ttl != field.stored:
                subject.report(
                    "TW203",
                    f"has the TTL field {field.name} (stored as {field.stored}), but table {subject.table.name} "
                    f"has ttl={subject.table.ttl!r}",
                    f"set ttl={field.stored!r} on the table",
                    field.name,
                )


def check_reserved_attributes(
    entity: type[BaseModel],
    table: Table,
    fields: Iterable[FieldLayout],
    type_name: str | None,
    schema_version: int | None,
) -> None:
    """Reject fields stored under a reserved attribute; a field whose default is the type may be the discriminator."""
    reserved = {OWNER: "the owner of copies and locks", KEPT: "the hidden fields of a copy"}
    if type_name is not None:
        reserved[table.discriminator] = f"the type, {type_name!r}"
    if schema_version is not None:
        reserved[SCHEMA_VERSION] = "the schema version"
    for field in fields:
        is_discriminator = (
            field.stored == table.discriminator and entity.model_fields[field.name].default == type_name
        )
        if field.stored in reserved and not is_discriminator:
            raise DesignError(
                f"{entity.__name__} stores the field {field.name} as {field.stored}, which holds "
                f"{reserved[field.stored]}; give the field an alias"
            )


def _named_by(marker: Any) -> list[str]:
    """The fields that a marker refers to."""
    of = getattr(marker, "of", None)
    return [*getattr(marker, "within", ()), *getattr(marker, "context", ()), *([of] if of else [])]


def _check_marker_types(entity: str, table: Table, field: FieldLayout) -> None:
    subject = f"{entity}.{field.name}"
    shown = type_name(field.annotation)
    if field.marker(Version) and field.annotation is not int:
        raise DesignError(f"{subject} is a Version, which must be an int, not a {shown}")
    if field.marker(Counter) and field.annotation not in (int, float, Decimal):
        raise DesignError(f"{subject} is a Counter, which must be a number, not a {shown}")
    if field.marker(Ttl) and field.annotation is not int and not table.literal:  # there TW201 reports it
        raise DesignError(
            f"{subject} is a Ttl, in seconds since 1970, and must be an int, not a {shown}; "
            f"declare it as Annotated[int | None, fields.Ttl()]"
        )
    if not field.marker(Unique):
        return
    if table.type_of(table.partition) != "S":
        raise DesignError(
            f"{subject} is Unique, and its lock item needs a string partition key; "
            f"{table.partition} of {table.name} is of type {table.type_of(table.partition)}"
        )
    if not field.is_secret and not can_be_key(field.annotation, bare=False):
        raise DesignError(
            f"{subject} is Unique, and a {shown} cannot be part of a key; "
            "use a string, a number, a date or an enum"
        )
