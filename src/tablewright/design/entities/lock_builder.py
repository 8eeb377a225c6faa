"""The lock builder: computes the layouts of locks whose keys the design chooses, and applies the rules."""

from collections.abc import Sequence

from tablewright.design.fields.markers import Unique
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import CopyLayout, FieldLayout, KeyLayout, LockLayout
from tablewright.design.validation.lock_rules import (
    check_lock_attributes,
    check_lock_collisions,
    check_lock_key,
    check_lock_owner,
)
from tablewright.design.validation.subjects import Subject


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
