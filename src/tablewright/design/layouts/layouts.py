"""Layouts: where an entity's items lie, worked out once when its class is defined.

Everything above reads a layout: access writes keys by it, checks reason about it, documentation prints it.
"""

import types
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

from tablewright.design.fields.markers import Cardinality, Counter, Encrypted, Hashed, Ttl, Unique, Version
from tablewright.design.fields.rates import Expect
from tablewright.design.keys.keys import Copy, Keys, Sparse
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.reserved_attributes import check_labels
from tablewright.design.layouts.upcasts import Upcast, check_upcasts
from tablewright.design.tables.tables import Index, Table
from tablewright.design.validation.entity_rules import (
    can_be_key,
    check_copy,
    check_fields,
    check_keys,
    check_primary,
)
from tablewright.design.validation.problems import Complaint, Complaints
from tablewright.design.validation.secret_rules import check_secrecy
from tablewright.errors import DesignError

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from tablewright.design.entities.entities import Entity


@dataclass(frozen=True, slots=True)
class FieldLayout:
    """One field: its name in Python and in the item, its type, and its markers."""

    name: str
    stored: str
    annotation: Any
    """Its Python type, without `None`."""
    optional: bool
    markers: tuple[Any, ...] = ()
    automatic: str | None = None
    """"created" or "touched" when the library sets it."""
    limited: bool = False
    """Whether it takes only some values of its type."""

    @property
    def is_secret(self) -> bool:
        """Whether its value is never stored or shown in the clear."""
        return self.marker(Encrypted) is not None or self.marker(Hashed) is not None

    def marker(self, kind: type) -> Any:
        """The marker of that kind, or None."""
        return next((marker for marker in self.markers if isinstance(marker, kind)), None)


@dataclass(frozen=True, slots=True)
class KeyLayout:
    """How one key is made: an attribute name and a template for each of its parts."""

    index: Index | None
    """None is the table's own key."""
    parts: tuple[tuple[str, Template], ...]
    sparse: Sparse | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The fields it is made of, each once, with those that decide whether it is there."""
        fields = [name for _, template in self.parts for name in template.names]
        return tuple(dict.fromkeys([*fields, *(self.sparse.names if self.sparse else ())]))


@dataclass(frozen=True, slots=True)
class CopyLayout:
    """A copy of the entity: its own keys, and what it carries."""

    name: str
    copy: Copy
    primary: KeyLayout
    indexes: tuple[KeyLayout, ...]

    @property
    def keys(self) -> tuple[KeyLayout, ...]:
        """All its keys, the primary first."""
        return (self.primary, *self.indexes)


@dataclass(frozen=True, slots=True)
class Layout:
    """An entity laid out in its table."""

    entity: "type[Entity]"
    table: Table
    type_name: str | None
    """What the discriminator says of its items."""
    fields: Mapping[str, FieldLayout]
    primary: KeyLayout
    indexes: tuple[KeyLayout, ...]
    copies: tuple[CopyLayout, ...]
    schema_version: int | None
    expect: Expect
    complaints: tuple[Complaint, ...]
    """What cannot work, when the table is declared literally."""
    secrets: frozenset[str]
    """The names of the fields that are never stored or shown in the clear."""
    upcasts: Mapping[int, Upcast] = dataclass_field(default_factory=dict)
    """By the version they start from, how items of older versions become what the class reads."""
    _marked: dict[type, list[tuple[FieldLayout, Any]]] = dataclass_field(
        default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def of(
        cls,
        entity: "type[Entity]",
        table: Table,
        type_name: str | None,
        keys: Keys,
        copies: Mapping[str, Copy],
        schema_version: int | None,
        expect: Expect,
        upcasts: Mapping[int, Upcast],
    ) -> "Layout":
        """The layout of a class, or the reason why there is none."""
        fields = {name: _field(name, info) for name, info in entity.model_fields.items()}
        complaints = Complaints(literal=table.literal)
        place = _Place(entity.__name__, table, type_name, fields, complaints)
        check_fields(entity.__name__, table, fields.values())
        place.check_markers()
        check_labels(entity, table, fields.values(), type_name, schema_version)
        check_upcasts(entity.__name__, schema_version, upcasts)
        primary = place.primary(keys)
        indexes = tuple(place.indexes(keys, primary))
        laid_copies = tuple(place.copy(name, copy) for name, copy in copies.items())
        check_primary(entity.__name__, primary, fields, complaints)
        check_keys(entity.__name__, (primary, *indexes), complaints)
        for laid in laid_copies:
            check_copy(entity.__name__, laid, fields)
            check_keys(f"{entity.__name__}.{laid.name}", laid.keys, complaints)
        all_keys = (primary, *indexes, *(key for copy in laid_copies for key in copy.keys))
        check_secrecy(entity.__name__, table, fields, all_keys, laid_copies, complaints)
        return cls(
            entity,
            table,
            type_name,
            fields,
            primary,
            indexes,
            laid_copies,
            schema_version,
            expect,
            tuple(complaints.noted),
            frozenset(name for name, field in fields.items() if field.is_secret),
            dict(upcasts),
        )

    @property
    def standing(self) -> frozenset[str]:
        """The attributes that its item has whether it is in an index or not: fields, primary key and type."""
        typed = () if self.type_name is None else (self.table.discriminator,)
        return frozenset((*(field.stored for field in self.fields.values()), *self.table.key, *typed))

    def field_stored_as(self, attribute: str) -> FieldLayout | None:
        """The field that is stored under an attribute name."""
        return next((field for field in self.fields.values() if field.stored == attribute), None)

    def marked(self, kind: type) -> list[tuple[FieldLayout, Any]]:
        """The fields that carry a marker of that kind, with the marker."""
        known = self._marked.get(kind)
        if known is None:
            found = ((field, field.marker(kind)) for field in self.fields.values())
            known = self._marked[kind] = [(field, marker) for field, marker in found if marker is not None]
        return known

    def key_for(self, index: Index | None) -> KeyLayout | None:
        """The key of the table (None) or of an index; None when the entity is not in that index."""
        if index is None:
            return self.primary
        return next((key for key in self.indexes if key.index is index), None)


def _field(name: str, info: "FieldInfo") -> FieldLayout:
    plain, optional, within = without_none(info.annotation)
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    kinds = (Unique, Encrypted, Hashed, Ttl, Counter, Version, Cardinality)
    metadata = (*info.metadata, *within)
    return FieldLayout(
        name,
        info.alias or name,
        plain,
        optional,
        tuple(marker for marker in metadata if isinstance(marker, kinds)),
        str(extra["automatic"]) if "automatic" in extra else None,
        not all(isinstance(each, kinds) for each in metadata),
    )


def without_none(annotation: Any) -> tuple[Any, bool, tuple[Any, ...]]:
    """The type itself, whether it may be None, and the metadata that `Annotated[...] | None` hides."""
    optional = False
    if get_origin(annotation) in (Union, types.UnionType):
        kept = [part for part in get_args(annotation) if part is not type(None)]
        optional = len(kept) < len(get_args(annotation))
        annotation = kept[0] if len(kept) == 1 else annotation
    if get_origin(annotation) is Annotated:
        return annotation.__origin__, optional, annotation.__metadata__
    return annotation, optional, ()


class _Place:
    """A class being laid out; says what is wrong in its name."""

    def __init__(
        self,
        name: str,
        table: Table,
        type_name: str | None,
        fields: Mapping[str, FieldLayout],
        complaints: Complaints,
    ) -> None:
        self.name = name
        self.table = table
        self.type_name = type_name
        self.fields = fields
        self.complaints = complaints

    def primary(self, keys: Keys) -> KeyLayout:
        """The table's key, from `Keys(primary=...)` or from fields stored under the key's names."""
        if keys.primary is not None:
            return self._key(None, keys.primary, self.table.key, None, "primary")
        implied = self._implied(self.table.key, self._fields_as_keys())
        if implied is None:
            wanted = ", ".join(f'"...{{field}}" for {name}' for name in self.table.key)
            raise self._refusal(f"has no primary key; add keys = Keys(primary=({wanted}))")
        return self._key(None, implied, self.table.key, None, "primary")

    def indexes(self, keys: Keys, primary: KeyLayout) -> list[KeyLayout]:
        """The keys of every index the entity is in: those given, and those that it makes whether it would or not.

        Fields stored under the names of keys, the primary key and the type are there in any case.
        """
        return self._indexes(keys, {**self._own_keys(primary), **self._fields_as_keys()})

    def _indexes(self, keys: Keys, standing: Mapping[str, Template]) -> list[KeyLayout]:
        for name in keys.indexes:
            self.table.index(name)
        found = []
        for index in self.table.indexes:
            given = keys.indexes.get(index.name)
            if given is None:
                implied = self._implied(index.key, standing)
                if implied is None:
                    continue
                given = implied
            sparse = given if isinstance(given, Sparse) else None
            templates = given.templates if isinstance(given, Sparse) else given
            found.append(self._key(index, templates, index.key, sparse, index.name))
        return found

    def copy(self, name: str, copy: Copy) -> CopyLayout:
        """The keys of a copy; its element counts as a field."""
        for carried in copy.fields or ():
            self._require_field(carried, f"the copy {name}")
        type_name = copy.type or self.type_name
        place = _Place(self.name, self.table, type_name, self.fields, self.complaints)
        if copy.name is not None and copy.each is not None:
            self._require_field(copy.each, f"the copy {name}")
            element = FieldLayout(copy.name, copy.name, str, False)
            fields = {**self.fields, copy.name: element}
            place = _Place(f"{self.name}.{name}", self.table, type_name, fields, self.complaints)
        primary = place.primary(copy.keys)
        # The fields that a copy carries are kept out of sight of the indexes; its key and its type cannot be.
        return CopyLayout(name, copy, primary, tuple(place._indexes(copy.keys, place._own_keys(primary))))

    def check_markers(self) -> None:
        """Markers name fields that exist, and fit the table."""
        for field in self.fields.values():
            for marker in field.markers:
                named = [*getattr(marker, "within", ()), *getattr(marker, "context", ())]
                of = getattr(marker, "of", None)
                for name in [*named, *([of] if of else [])]:
                    self._require_field(name, f"{type(marker).__name__} of {field.name}")
                if isinstance(marker, Ttl) and self.table.ttl != field.stored:
                    self._complain(
                        "TW203",
                        f"expires by {field.name} (stored as {field.stored}), but table {self.table.name} has "
                        f"ttl={self.table.ttl!r}",
                        f"set ttl={field.stored!r} on the table",
                        field.name,
                    )

    def _key(
        self,
        index: Index | None,
        templates: tuple[Template, ...],
        attributes: tuple[str, ...],
        sparse: Sparse | None,
        called: str,
    ) -> KeyLayout:
        if len(templates) != len(attributes):
            raise self._refusal(
                f"gives {len(templates)} templates for {called}, which has {len(attributes)} key attributes: "
                f"{', '.join(attributes)}"
            )
        for attribute, template in zip(attributes, templates, strict=True):
            self._check_template(attribute, template, called, may_be_absent=index is not None)
        if sparse is not None:
            for name in sparse.names:
                self._require_field(name, f"Sparse(when=...) of {called}")
            self._check_sparse(sparse, attributes, called)
            if set(attributes) <= {*self.table.key, self.table.discriminator}:
                self._complain(
                    "TW004",
                    f"is in {called} only at times, but {', '.join(attributes)} are there at all times",
                    "give the index an attribute of its own",
                    attributes[0],
                )
        return KeyLayout(index, tuple(zip(attributes, templates, strict=True)), sparse)

    def _check_template(
        self, attribute: str, template: Template, called: str, *, may_be_absent: bool
    ) -> None:
        shown = f'"{template.text}" ({called}, {attribute})'
        for part in template.fields:
            name = part.name
            field = self._require_field(name, shown)
            wanted = part.spelling.wants(field.annotation) if field and part.spelling else ""
            if field is not None and wanted:
                self._complain(
                    "TW101",
                    f"spells {name}, a {_type_name(field.annotation)}, as {part} in the key {shown}",
                    f"make it {wanted}, or leave out the spelling",
                    name,
                )
            if field is not None and not can_be_key(field.annotation, bare=template.is_value):
                self._complain(
                    "TW101",
                    f"makes the key {shown} of {name}, a {_type_name(field.annotation)}",
                    "keys are made of text, numbers, dates and enums",
                    name,
                )
            if field is not None and field.optional and not may_be_absent:
                self._complain(
                    "TW102",
                    f"makes the key {shown} of {name}, which may be None",
                    "a primary key is always there",
                    name,
                )
        if self.table.type_of(attribute) != "S" and not template.is_value:
            self._complain(
                "TW101",
                f'{attribute} is a number or binary, and its template is "{template.text}"',
                "make it one bare field",
                attribute,
            )
        same = next((field for field in self.fields.values() if field.stored == attribute), None)
        if same is not None and template.text != f"{{{same.name}}}":
            self._complain(
                "TW004",
                f"stores the field {same.name} as {attribute}, which is also the key {shown}",
                f'rename the field\'s alias, or make the template "{{{same.name}}}"',
                same.name,
            )
        if (
            same is None
            and attribute == self.table.discriminator
            and self.type_name not in (None, template.text)
        ):
            self._complain(
                "TW004",
                f"writes its type, {self.type_name!r}, as {attribute}, which is also the key {shown}",
                f'make the template "{self.type_name}", or leave it out',
                attribute,
            )

    def _check_sparse(self, sparse: Sparse, attributes: tuple[str, ...], called: str) -> None:
        """Fields that are keys themselves are stored whatever the condition says; one attribute at least must go."""
        stored = {field.stored: field for field in self.fields.values() if not sparse.goes_with(field.name)}
        if not set(attributes) <= {*stored, *self.table.key, self.table.discriminator}:
            return
        for same in (stored[attribute] for attribute in attributes if attribute in stored):
            self._complain(
                "TW004",
                f"is in {called} only at times, but its key {same.stored} is the field {same.name}, which stays",
                f'give the index an attribute of its own, or say Sparse(..., when="{same.name}")',
                same.name,
            )

    def _fields_as_keys(self) -> dict[str, Template]:
        return {field.stored: Template(f"{{{field.name}}}") for field in self.fields.values()}

    def _own_keys(self, primary: KeyLayout) -> dict[str, Template]:
        typed = {} if self.type_name is None else {self.table.discriminator: Template(self.type_name)}
        return {**typed, **dict(primary.parts)}

    def _implied(
        self, attributes: tuple[str, ...], standing: Mapping[str, Template]
    ) -> tuple[Template, ...] | None:
        if not all(attribute in standing for attribute in attributes):
            return None
        return tuple(standing[attribute] for attribute in attributes)

    def _require_field(self, name: str, where: str) -> FieldLayout | None:
        field = self.fields.get(name)
        if field is None:
            close = get_close_matches(name, self.fields, n=1)
            hint = f"did you mean {close[0]}?" if close else f"it has: {', '.join(self.fields)}"
            self._complain("TW003", f"has no field {name}, which {where} needs", hint, name)
        return field

    def _complain(self, code: str, why: str, fix: str, field: str) -> None:
        self.complaints.add(code, self.name, why, fix, field=field)

    def _refusal(self, complaint: str) -> DesignError:
        return DesignError(f"{self.name} {complaint}")


def _type_name(annotation: Any) -> str:
    return getattr(annotation, "__name__", str(annotation))
