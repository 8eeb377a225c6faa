"""The layout builder: computes the layout of a class from its fields, keys and copies, and applies the rules.

The layouts of computed fields: pydantic's `@computed_field`, and `@fields.computed(...)` with its sources.

The lock builder: computes the layouts of locks whose keys the design chooses, and applies the rules.
"""

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tablewright.design.fields.annotations import plain_type, without_none
from tablewright.design.fields.markers import MARKERS, Unique, Vector
from tablewright.design.fields.rates import Expect
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Copy, Keys, Sparse
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.compared_values import element_type
from tablewright.design.layouts.layouts import (
    CopyLayout,
    FieldLayout,
    KeyLayout,
    Layout,
    StoredModel,
    Upcast,
    check_upcasts,
)
from tablewright.design.problems import Problems
from tablewright.design.tables import Table
from tablewright.design.validation.field_rules import (
    check_constant_defaults,
    check_declarations,
    check_defaults,
    check_fields,
    check_markers,
    check_references,
    check_reserved_attributes,
    check_storable,
    checked_writes,
)
from tablewright.design.validation.key_rules import (
    check_copy,
    check_keys,
    check_primary,
    check_sparse,
    check_sparse_condition,
    check_template,
)
from tablewright.design.validation.secret_rules import check_secrets
from tablewright.design.validation.subjects import Subject
from tablewright.design.validation.vector_rules import check_vectors
from tablewright.errors import DesignError

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


from collections.abc import Sequence
from functools import cached_property

from tablewright.design.argument_errors import suggestion
from tablewright.design.fields.computed_fields import SOURCES
from tablewright.design.layouts.layouts import LockLayout
from tablewright.design.validation.field_rules import check_names
from tablewright.design.validation.lock_rules import (
    check_lock_attributes,
    check_lock_collisions,
    check_lock_key,
    check_lock_owner,
)


def build_locks(subject: Subject, primary: KeyLayout, copies: Sequence[CopyLayout]) -> tuple[LockLayout, ...]:
    """The locks of the fields that are `Unique(key=...)`; `DesignError` if one cannot work."""
    marked = ((field, field.marker(Unique)) for field in subject.fields.values())
    locks = tuple(
        _lock(subject, primary, field, unique) for field, unique in marked if unique and unique.templates
    )
    check_lock_collisions(subject, primary, copies, locks)
    return locks


def _lock(subject: Subject, primary: KeyLayout, field: FieldLayout, unique: Unique) -> LockLayout:
    check_lock_key(subject, field, unique.templates)
    key = KeyLayout(None, tuple(zip(subject.table.key, unique.templates, strict=True)))
    attributes = tuple((name, Template(text)) for name, text in unique.attributes.items())
    check_lock_attributes(subject, field, unique.type, attributes)
    in_key = {name for _, template in key.parts for name in template.parsed_names}
    carried = {
        template.names[0]: name
        for name, template in attributes
        if template.is_value and template.names[0] in primary.names
    }
    check_lock_owner(subject, field, primary, in_key, carried)
    owner = {name: source for source, name in carried.items() if source not in in_key}
    return LockLayout(field, key, unique.type, attributes, owner)


def computed_layouts(entity: type[StoredModel]) -> dict[str, FieldLayout]:
    """The computed fields of a class; without declared sources, a field may depend on every stored field."""
    layouts = {}
    names = frozenset(entity.model_fields)
    for name, info in entity.model_computed_fields.items():
        check_names(entity.__name__, {name: info.alias or name})
        extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
        declared = extra.get(SOURCES)
        sources = frozenset(map(str, declared)) if isinstance(declared, list) else names
        for source in sorted(sources - names):
            raise DesignError(
                f"{entity.__name__}.{name} is computed from {source}, which is no field; {suggestion(source, names)}"
            )
        if isinstance(info.wrapped_property, cached_property):
            raise DesignError(
                f"{entity.__name__}.{name} is a cached_property, which keeps its value when the entity changes; "
                "use property"
            )
        plain, optional, _ = without_none(info.return_type)
        layouts[name] = FieldLayout(name, info.alias or name, plain, optional, computed_from=sources)
    return layouts


def check_computed(
    entity: str,
    fields: Mapping[str, FieldLayout],
    computed: Mapping[str, FieldLayout],
    copies: Iterable[CopyLayout],
) -> None:
    """Reject computed fields in keys that may show a secret, and copies that lack what their keys are computed from."""
    for copy in copies:
        used = {name for key in copy.keys for name in key.names if name in computed}
        sources = {source for name in used for source in computed[name].computed_from or ()}
        lacking = sorted(sources - set(copy.copy.fields)) if copy.copy.fields is not None else []
        if lacking:
            raise DesignError(
                f"{entity}.{copy.name} has {', '.join(sorted(used))} in its keys, but lacks {', '.join(lacking)}, of "
                "which it may be computed; add them to fields=..., or name the fields: @fields.computed(...)"
            )
    for name, field in computed.items():
        secret = sorted(source for source in field.computed_from or () if fields[source].is_secret)
        if secret:
            others = ", ".join(f'"{field_name}"' for field_name in fields if not fields[field_name].is_secret)
            raise DesignError(
                f"{entity}.{name} is part of a key and may depend on {', '.join(secret)}, which is a secret; name the "
                f"fields that it depends on: @fields.computed(...) with some of {others}"
            )


def build_layout(
    entity: type[StoredModel],
    table: Table,
    type_name: str | None,
    keys: Keys,
    copies: Mapping[str, Copy],
    schema_version: int | None,
    expect: Expect,
    upcasts: Mapping[int, Upcast],
    writes: Collection[str] | None = None,
) -> Layout:
    """The layout of a class; `DesignError` if the class cannot work."""
    name = entity.__name__
    check_declarations(entity)
    check_storable(entity)
    fields = {field: field_layout(field, info) for field, info in entity.model_fields.items()}
    computed = computed_layouts(entity)
    problems = Problems(literal=table.literal)
    subject = Subject(name, table, type_name, {**fields, **computed}, problems)
    check_fields(name, table, fields.values())
    check_vectors(name, table, fields.values())
    check_defaults(entity, fields)
    check_markers(subject)
    check_reserved_attributes(entity, table, fields.values(), type_name, schema_version)
    check_upcasts(name, schema_version, upcasts)
    builder = _KeyBuilder(subject)
    primary = builder.primary(keys)
    indexes = tuple(builder.indexes(keys, primary))
    copy_layouts = tuple(builder.copy(copy_name, copy) for copy_name, copy in copies.items())
    check_primary(name, primary, subject.fields, problems)
    check_constant_defaults(entity, fields, primary.names)
    check_keys(name, (primary, *indexes), problems)
    for copy in copy_layouts:
        check_copy(name, copy, primary, subject.fields)
        check_keys(f"{name}.{copy.name}", copy.keys, problems)
    allowed = checked_writes(name, writes, fields.values())
    check_references(entity, fields.values(), allowed)
    locks = build_locks(subject, primary, copy_layouts)
    all_keys = (primary, *indexes, *(key for copy in copy_layouts for key in copy.keys))
    check_secrets(name, table, fields, all_keys, copy_layouts, problems)
    used = {name: field for name, field in computed.items() if name in _used(subject, all_keys, copy_layouts)}
    check_computed(name, fields, used, copy_layouts)
    return Layout(
        entity,
        table,
        type_name,
        fields,
        primary,
        indexes,
        copy_layouts,
        schema_version,
        expect,
        tuple(problems.recorded),
        frozenset(field.name for field in fields.values() if field.is_secret),
        dict(upcasts),
        locks,
        used,
        allowed,
    )


def _used(subject: Subject, keys: Iterable[KeyLayout], copies: Iterable[CopyLayout]) -> set[str]:
    """The fields that keys, copies and locks are made of."""
    uniques = (field.marker(Unique) for field in subject.fields.values())
    in_locks = {name for unique in uniques if unique for name in unique.sources}
    in_keys = {name for key in keys for name in key.names}
    return in_locks | in_keys | {copy.copy.each for copy in copies if copy.copy.each}


def field_layout(name: str, info: "FieldInfo") -> FieldLayout:
    """The layout of one field, from its pydantic declaration."""
    plain, optional, within = without_none(info.annotation)
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    metadata = (*info.metadata, *within)
    return FieldLayout(
        name,
        info.alias or name,
        plain,
        optional,
        tuple(marker for marker in metadata if isinstance(marker, MARKERS)),
        str(extra["automatic"]) if "automatic" in extra else None,
        not all(isinstance(marker, MARKERS) and not isinstance(marker, Vector) for marker in metadata),
        any(map(_is_negative, (*info.metadata, *plain_type(info.annotation)[1]))),
    )


def element_layout(name: str, repeated: FieldLayout | None) -> FieldLayout:
    """The layout of a list element that a copy is made for; its type is text unless the list declares another."""
    kind = str if repeated is None else plain_type(element_type(repeated.annotation))[0]
    return FieldLayout(name, name, str if kind is Any else kind, False)


def _is_negative(limit: Any) -> bool:
    """Whether a limit of a number lets negative ones in by name: `ge=-5`, `lt=0`."""
    bounds = {name: getattr(limit, name, None) for name in ("ge", "gt", "le", "lt")}
    known = {name: bound for name, bound in bounds.items() if isinstance(bound, int | float | Decimal)}
    negative = any(value < (-1 if name == "gt" else 0) for name, value in known.items())
    return negative or known.get("lt") == 0


class _KeyBuilder:
    """Builds the keys of one entity, or of one copy."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.table = subject.table

    def primary(self, keys: Keys) -> KeyLayout:
        """The primary key, from `Keys(primary=...)` or from fields stored under the key attributes."""
        if keys.primary is not None:
            return self._key(None, keys.primary, self.table.key, None, "primary")
        implied = _implied(self.table.key, self._field_templates())
        if implied is None:
            example = ", ".join(f'"...{{field}}" for {name}' for name in self.table.key)
            raise DesignError(f"{self.subject.name} has no primary key; add keys = Keys(primary=({example}))")
        return self._key(None, implied, self.table.key, None, "primary")

    def indexes(self, keys: Keys, primary: KeyLayout) -> list[KeyLayout]:
        """The keys of every index that contains the entity: those declared, and those implied.

        An item is in an index when it has the key attributes, declared or not: its fields, its primary key and its
        type can be key attributes of an index.
        """
        return self._indexes(keys, {**self._own_templates(primary), **self._field_templates()})

    def copy(self, name: str, copy: Copy) -> CopyLayout:
        """The layout of a copy; in its templates, the element counts as a field."""
        subject = self.subject
        for carried in copy.fields or ():
            field = subject.require_field(carried, f"the copy {name}")
            if field is not None and field.is_computed:
                raise DesignError(
                    f"{subject.name}.{name} copies {carried}, which is computed and not stored; remove it from fields"
                )
        type_name = copy.type or subject.type_name
        of_copy = Subject(subject.name, self.table, type_name, subject.fields, subject.problems)
        if copy.name is not None and copy.each is not None:
            subject.require_field(copy.each, f"the copy {name}")
            element = element_layout(copy.name, subject.fields.get(copy.each))
            fields = {**subject.fields, copy.name: element}
            of_copy = Subject(f"{subject.name}.{name}", self.table, type_name, fields, subject.problems)
        builder = _KeyBuilder(of_copy)
        primary = builder.primary(copy.keys)
        # The fields of a copy are stored so that no index sees them; its key and its type cannot be.
        indexes = builder._indexes(copy.keys, builder._own_templates(primary))
        return CopyLayout(name, copy, primary, tuple(indexes))

    def _indexes(self, keys: Keys, present: Mapping[str, Template]) -> list[KeyLayout]:
        """The keys of the indexes, with `present`: the templates of the attributes that every item has."""
        for name in keys.indexes:
            self.table.index(name)
        layouts = []
        for index in self.table.indexes:
            declared = keys.indexes.get(index.name)
            if declared is None:
                implied = _implied(index.key, present)
                if implied is None:
                    continue
                declared = implied
            sparse = declared if isinstance(declared, Sparse) else None
            templates = declared.templates if isinstance(declared, Sparse) else declared
            layouts.append(self._key(index, templates, index.key, sparse, index.name))
        return layouts

    def _key(
        self,
        index: Index | None,
        templates: tuple[Template, ...],
        attributes: tuple[str, ...],
        sparse: Sparse | None,
        key_name: str,
    ) -> KeyLayout:
        if len(templates) != len(attributes):
            raise DesignError(
                f"{self.subject.name} gives {len(templates)} templates for {key_name}, which has {len(attributes)} "
                f"key attributes: {', '.join(attributes)}"
            )
        parts = tuple(zip(attributes, templates, strict=True))
        for attribute, template in parts:
            check_template(self.subject, attribute, template, key_name, is_primary=index is None)
        if sparse is not None:
            check_sparse(self.subject, sparse, attributes, key_name)
            check_sparse_condition(self.subject, sparse, key_name)
        return KeyLayout(index, parts, sparse)

    def _field_templates(self) -> dict[str, Template]:
        stored = (field for field in self.subject.fields.values() if not field.is_computed)
        return {field.stored: Template(f"{{{field.name}}}") for field in stored}

    def _own_templates(self, primary: KeyLayout) -> dict[str, Template]:
        kind = self.subject.type_name
        typed = {} if kind is None else {self.table.discriminator: Template(kind)}
        return {**typed, **dict(primary.parts)}


def _implied(attributes: tuple[str, ...], present: Mapping[str, Template]) -> tuple[Template, ...] | None:
    """The templates of these attributes, if every item has all of them."""
    if not all(attribute in present for attribute in attributes):
        return None
    return tuple(present[attribute] for attribute in attributes)
