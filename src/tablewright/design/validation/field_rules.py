"""Rules for the fields of an entity: names, stored names, markers and reserved attributes.

Shadowed names: the fields that a class declares, read before pydantic builds it and warns in its own words.

Rules for the types of fields: a type without a form in DynamoDB is rejected when the class is defined.

Default rules: what `fields.now()`, `fields.touched()` and `fields.new_id()` set is a valid value of the field.

Pydantic does not validate defaults: a `bool` with the default `fields.now()` would be stored as a time. A default that
was made when the class was defined, by `datetime.now(UTC)` or `str(uuid4())`, would be the same in all entities.

Rules for `writes`: which writes an entity allows.

    class AuditEntry(Entity, table=main, type="AUDIT", writes={"create"}):
        ...

Create an entity, update one that exists, delete one. A write that an entity does not allow is rejected by the typed
API, and policies for IAM do not grant it.

Rules for references: what can never be followed, whatever the design. `entities.references` resolves them.
"""

import re
import sys
import types
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from inspect import get_annotations
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin
from uuid import UUID

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    WrapValidator,
)
from pydantic.fields import FieldInfo

from tablewright.design.argument_errors import suggestion
from tablewright.design.fields.annotations import plain_type, without_none
from tablewright.design.fields.markers import (
    MARKERS,
    Cardinality,
    Counter,
    OwnedBy,
    References,
    Ttl,
    Unique,
    Version,
    new_id,
    now,
    touched,
    ulid,
)
from tablewright.design.layouts.field_values import type_name
from tablewright.design.layouts.layouts import (
    ALL_WRITES,
    KEPT,
    OWNER,
    SCHEMA_VERSION,
    FieldLayout,
    StoredModel,
    is_abstract,
)
from tablewright.design.tables import Table
from tablewright.design.validation.key_rules import can_be_key
from tablewright.design.validation.subjects import Subject
from tablewright.errors import DesignError

PYDANTIC_NAMES = frozenset(name for name in dir(BaseModel) if not name.startswith("_"))
"""The methods and attributes of every pydantic model, such as `copy` and `json`."""


def annotated_fields(cls: type) -> Iterator[str]:
    """The names that a class itself declares as fields; pydantic need not have built it yet."""
    for name, annotation in get_annotations(cls).items():
        if not _is_class_variable(annotation):
            yield name


def _is_class_variable(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.removeprefix("typing.").startswith("ClassVar")
    return annotation is ClassVar or get_origin(annotation) is ClassVar


RESERVED_NAMES = frozenset(
    {"layout", "keys", "suppress", "changed", "unknown_attributes", "stored_forms", "remember_forms"}
    | {"is_partial", "mark_partial"}
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
    if isinstance(marker, References):  # `check_references` has its rules
        return []
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


_INSTEAD = {
    "datetime.timedelta": "a number of seconds as an int",
    "datetime.time": "a str",
    "builtins.complex": "a list of two numbers",
    "pathlib.PurePath": "a str",
    "pydantic.networks.AnyUrl": "a str with a validator",
    "pydantic.types.SecretStr": "a str with the marker fields.Encrypted()",
    "pydantic.types.SecretBytes": "bytes with the marker fields.Encrypted()",
    "ipaddress.IPv4Address": "a str",
    "ipaddress.IPv6Address": "a str",
    "ipaddress.IPv4Network": "a str",
    "ipaddress.IPv6Network": "a str",
}
"""The types that cannot be stored, and what to use in their place. Naming them does not import their modules."""

_CONVERTERS = (AfterValidator, PlainValidator, WrapValidator)
"""Validators that may return a value of another type."""


def check_storable(entity: type[BaseModel]) -> None:
    """Reject values that are not stored: extra ones, and those of fields, also of nested models, without a form."""
    if entity.model_config.get("extra") == "allow":
        raise DesignError(
            f'{entity.__name__} has extra="allow", but an entity stores only its fields; declare a field for the '
            "other values, such as details: dict[str, Any] = Field(default_factory=dict), and remove extra"
        )
    for name, info in entity.model_fields.items():
        for problem, fix in _alias_problems(name, info):
            raise DesignError(f"{entity.__name__}.{name} {problem}; {fix}")
        if any(isinstance(metadatum, _CONVERTERS) for metadatum in info.metadata):
            continue
        for problem, fix in _problems(info.annotation, (entity,)):
            raise DesignError(f"{entity.__name__}.{name} {problem}; {fix}")


def _problems(annotation: Any, within: tuple[type, ...]) -> Iterator[tuple[str, str]]:
    """Why values of a type cannot be stored, and the fix. `within` are the models around it."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        if not any(isinstance(metadatum, _CONVERTERS) for metadatum in annotation.__metadata__):
            yield from _problems(arguments[0], within)
    elif origin in (Union, types.UnionType, list, tuple, set, frozenset):
        if origin in (set, frozenset) and arguments and arguments[0] is bool:
            yield "is a set of bool, which DynamoDB cannot store", "use a list"
        for argument in arguments:
            yield from _problems(argument, within)
    elif isinstance(origin, type) and issubclass(origin, Mapping) and len(arguments) == 2:
        yield from _key_problems(arguments[0])
        yield from _problems(arguments[1], within)
    elif isinstance(annotation, type) and origin is None:
        yield from _class_problems(annotation, within)


def _class_problems(annotation: type, within: tuple[type, ...]) -> Iterator[tuple[str, str]]:
    instead = next((instead for name, instead in _INSTEAD.items() if _is_subclass(annotation, name)), None)
    if instead:
        yield f"has the type {type_name(annotation)}, which DynamoDB cannot store", f"store {instead}"
    elif issubclass(annotation, BaseModel) and annotation not in within:
        for name, info in annotation.model_fields.items():
            for problem, fix in _alias_problems(name, info):
                yield f"has the type {type_name(annotation)}, whose field {name} {problem}", fix
            if not any(isinstance(metadatum, _CONVERTERS) for metadatum in info.metadata):
                yield from _problems(info.annotation, (*within, annotation))


def _alias_problems(name: str, info: FieldInfo) -> Iterator[tuple[str, str]]:
    """Why a field is not found again under the name that it is stored under."""
    stored, accepted = info.alias or name, info.validation_alias
    choices = accepted.choices if isinstance(accepted, AliasChoices) else [accepted]
    if accepted is not None and stored not in choices:
        read = next((choice for choice in choices if isinstance(choice, str)), "a path")
        yield f"is stored as {stored}, but read as {read}", f'give it one name: Field(alias="{read}")'


def _is_subclass(annotation: type, name: str) -> bool:
    """Whether a class derives from a class with this name; it does not if the module of that one is not loaded."""
    module, _, class_name = name.rpartition(".")
    kind = getattr(sys.modules.get(module), class_name, None)
    return kind is not None and issubclass(annotation, kind)


def _key_problems(annotation: Any) -> Iterator[tuple[str, str]]:
    """Why a type cannot be that of the keys of a map."""
    plain = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    if isinstance(plain, type) and plain is not Any and not issubclass(plain, str):
        fix = "use a StrEnum" if issubclass(plain, Enum) else "use str"
        yield f"is a map whose keys have the type {type_name(plain)}, and DynamoDB needs text", fix


_FACTORIES = (now, touched, new_id)


def check_declarations(entity: type[BaseModel]) -> None:
    """Reject markers in the place of a default, and markers and defaults without parentheses."""
    for name, info in entity.model_fields.items():
        field, kind = f"{entity.__name__}.{name}", type_name(plain_type(info.annotation)[0])
        marker = type(info.default).__name__
        if isinstance(info.default, MARKERS):
            raise DesignError(
                f"{field} has the marker fields.{marker}() as its default; "
                f"write {name}: Annotated[{kind}, fields.{marker}()]"
            )
        if info.default in _FACTORIES:
            raise DesignError(
                f"{field} has the function fields.{info.default.__name__} as its default; "
                f"call it: {name}: {kind} = fields.{info.default.__name__}()"
            )
        for metadatum in (*info.metadata, *without_none(info.annotation)[2]):
            if isinstance(metadatum, type) and issubclass(metadatum, MARKERS):
                argument = "..." if issubclass(metadatum, References | Cardinality) else ""
                raise DesignError(
                    f"{field} has the marker fields.{metadatum.__name__} without parentheses; "
                    f"write {name}: Annotated[{kind}, fields.{metadatum.__name__}({argument})]"
                )


def check_defaults(entity: type[BaseModel], fields: Mapping[str, FieldLayout]) -> None:
    """Reject automatic times and new ids in fields that do not accept them."""
    for name, field in fields.items():
        info = entity.model_fields[name]
        if field.automatic is not None and not _accepts(field, info, (datetime, int, str), _now(field)):
            default = "touched" if field.automatic == "touched" else "now"
            raise DesignError(
                f"{entity.__name__}.{name} has the default fields.{default}(), which is a time and not a valid "
                f"{type_name(field.annotation)}; declare it as fields.Timestamp"
            )
        if info.default_factory is ulid and not _accepts(field, info, (str,), ulid()):
            raise DesignError(
                f"{entity.__name__}.{name} has the default fields.new_id(), which is a text of 26 characters and not a "
                f"valid {type_name(field.annotation)}; declare it as str"
            )


_ID = re.compile(
    r"[0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-fA-F]{32}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)
"""A ULID or a UUID as text."""


def check_constant_defaults(
    entity: type[BaseModel], fields: Mapping[str, FieldLayout], primary: Collection[str]
) -> None:
    """Reject times and identifying ids that were made when the class was defined: all entities would share them."""
    for name, field in fields.items():
        default, subject = entity.model_fields[name].default, f"{entity.__name__}.{name}"
        if isinstance(default, datetime) and default.microsecond % 1000:
            raise DesignError(
                f"{subject} has the default {default}, the time when the class was defined, for all entities; "
                f"write {name}: fields.Timestamp = fields.now()"
            )
        is_id = isinstance(default, UUID) or (isinstance(default, str) and _ID.fullmatch(default))
        if is_id and (name in primary or field.marker(Unique)):
            factory = "Field(default_factory=uuid4)" if field.annotation is UUID else "fields.new_id()"
            raise DesignError(
                f"{subject} has the default {str(default)!r}, which was made once, for all entities; write {name}: "
                f"{type_name(field.annotation)} = {factory}, or Field(default_factory=...) with a function of your own"
            )


def _now(field: FieldLayout) -> Any:
    return field.time_value(datetime.now(UTC).replace(microsecond=1000))


def _accepts(field: FieldLayout, info: FieldInfo, kinds: tuple[type, ...], value: Any) -> bool:
    """Whether a value is valid for a field; fields of these types without limits need no validation."""
    if field.annotation in kinds and not field.limited:
        return True
    annotation: Any = Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
    try:
        TypeAdapter(annotation).validate_python(value)
    except ValidationError:
        return False
    return True


def checked_writes(
    name: str, allowed: Collection[str] | None, fields: Iterable[FieldLayout]
) -> frozenset[str]:
    """The writes that an entity allows; all if none are given."""
    if allowed is None:
        return ALL_WRITES
    writes: Any = allowed
    if isinstance(writes, str) or not isinstance(writes, Collection):
        raise DesignError(f'{name} has writes={writes!r}; give a set: writes={{"create"}}')
    for write in writes:
        if write not in ALL_WRITES:
            hint = suggestion(str(write), sorted(ALL_WRITES), "the writes are")
            raise DesignError(f"{name} has writes with {write!r}; {hint}")
    if "create" not in writes:
        raise DesignError(f'{name} has writes without "create", so no item of it can exist; add "create"')
    counter = next((field.name for field in fields if field.marker(Counter)), None)
    if "update" not in writes and counter is not None:
        raise DesignError(
            f'{name}.{counter} is a counter, which only updates change; add "update" to writes, or remove Counter()'
        )
    return frozenset(writes)


def check_references(
    entity: type[StoredModel], fields: Iterable[FieldLayout], writes: frozenset[str]
) -> None:
    """Reject references of a class that can never work, whatever the design: DesignError."""
    for name, info in entity.model_fields.items():
        for marker in _inner_references(info.annotation, (entity,)):
            raise DesignError(
                f"{entity.__name__}.{name} has {_shown(marker)} inside of its type, where it is not seen; write it for "
                f"the field: {name}: Annotated[..., fields.{_shown(marker)}]"
            )
    for field in fields:
        marker = field.marker(References)
        if marker is not None:
            _check_reference(entity, field, marker, writes)


def _check_reference(
    entity: type[StoredModel], field: FieldLayout, marker: References, writes: frozenset[str]
) -> None:
    name, shown = f"{entity.__name__}.{field.name}", _shown(marker)
    if not isinstance(marker.target, str) and not _is_entity(marker.target):
        raise DesignError(
            f"{name} has {shown}, which is not an entity with a table; name the class: References(User)"
        )
    if field.is_secret:
        raise DesignError(
            f"{name} has {shown} and is a secret, which cannot be followed; remove one of the two markers"
        )
    if isinstance(marker, OwnedBy) and is_many(field):
        raise DesignError(
            f"{name} is a list with {shown}, and an entity is deleted with one owner; use References, or make an "
            "entity for each element"
        )
    if isinstance(marker, OwnedBy) and "delete" not in writes:
        raise DesignError(
            f'{name} has {shown}, but {entity.__name__} has writes without "delete", so it cannot be deleted with its '
            "owner; add it, or use References"
        )
    for own in marker.within.values():
        if own not in entity.model_fields:
            raise DesignError(
                f"{name} has {shown} with within={dict(marker.within)!r}, but {entity.__name__} has no field {own}; "
                f"{suggestion(own, entity.model_fields)}"
            )


def _inner_references(annotation: Any, outer: tuple[type, ...]) -> Iterator[References]:
    """The references inside of a type: of elements, and of the fields of nested models."""
    plain, _ = plain_type(annotation)
    if isinstance(plain, type) and issubclass(plain, BaseModel) and plain not in outer:
        for info in plain.model_fields.values():
            yield from (marker for marker in info.metadata if isinstance(marker, References))
            yield from _inner_references(info.annotation, (*outer, plain))
    for inner in get_args(plain):
        if get_origin(inner) is Annotated:
            yield from (marker for marker in inner.__metadata__ if isinstance(marker, References))
        yield from _inner_references(inner, outer)


def _is_entity(target: object) -> bool:
    return isinstance(target, type) and issubclass(target, StoredModel) and not is_abstract(target)


def is_many(field: FieldLayout) -> bool:
    """Whether a field is a list or a set."""
    return get_origin(field.annotation) in (list, set, frozenset, tuple)


def _shown(marker: References) -> str:
    target = marker.target if isinstance(marker.target, type) else None
    return f"{type(marker).__name__}({target.__name__ if target else repr(marker.target)})"
