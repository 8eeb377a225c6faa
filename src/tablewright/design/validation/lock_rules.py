"""Rules for the locks of unique fields whose keys the design chooses: `Unique(key=...)`."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.keys.text_formats import Case
from tablewright.design.layouts.layouts import (
    KEPT,
    LOCK,
    OWNER,
    CopyLayout,
    FieldLayout,
    KeyLayout,
    LockLayout,
)
from tablewright.design.validation.key_rules import check_template_fields
from tablewright.design.validation.subjects import Subject
from tablewright.errors import DesignError


def check_lock_key(subject: Subject, field: FieldLayout, templates: tuple[Template, ...]) -> None:
    """Reject a key that does not contain the field, or whose other fields may be None or are encrypted."""
    name, attributes = f"{subject.name}.{field.name}", subject.table.key
    if len(templates) != len(attributes):
        raise DesignError(
            f"{name} gives {len(templates)} templates for the key of its lock, which has {len(attributes)} key "
            f"attributes: {', '.join(attributes)}"
        )
    shown = " / ".join(f'"{template.text}"' for template in templates)
    for attribute, template in zip(attributes, templates, strict=True):
        check_template_fields(
            subject, attribute, template, f'"{template.text}" (the lock of {field.name}, {attribute})'
        )
    parts = [part for template in templates for part in template.fields]
    if not any(part.name == field.name and not part.is_part for part in parts):
        raise DesignError(
            f"{name} is Unique, but the key of its lock, {shown}, does not contain {{{field.name}}}: different values "
            f"would have the same lock; put {{{field.name}}} into key=..."
        )
    for part in parts:
        other = subject.fields.get(part.name)
        if other is not None and other.optional and part.name != field.name:
            raise DesignError(
                f"{name} is Unique, and the key of its lock, {shown}, contains {part.name}, which may be None; make "
                f"{part.name} required"
            )
    if field.is_secret and any(isinstance(part.key_format, Case) for part in parts):
        raise DesignError(
            f"{name} is a secret, so its lock contains the hash of the given value: the format in {shown} has no "
            "effect; remove it, and normalise the value with a Pydantic validator"
        )
    if templates[0].prefix.startswith(f"{LOCK}#"):
        raise DesignError(
            f"{name} has the lock key {shown}; keys that begin with {LOCK}# are the library's own"
        )


def check_lock_attributes(
    subject: Subject, field: FieldLayout, type_name: str | None, attributes: Iterable[tuple[str, Template]]
) -> None:
    """Reject attributes that are keys, hold the type, are reserved, or show a secret; and a type that is taken."""
    name, table = f"{subject.name}.{field.name}", subject.table
    if type_name is not None and type_name == subject.type_name:
        raise DesignError(
            f"{name} gives its lock the type {type_name!r}, which is the type of {subject.name}; give the lock its own"
        )
    reserved = {
        OWNER,
        KEPT,
        *([table.discriminator] if type_name else []),
        *([table.ttl] if table.ttl else []),
    }
    for attribute, template in attributes:
        if attribute in table.key_attributes or attribute in reserved:
            what = "a key attribute" if attribute in table.key_attributes else "reserved"
            raise DesignError(
                f"{name} gives its lock the attribute {attribute}, which is {what}; rename or remove it"
            )
        for source in template.names:
            carried = subject.require_field(source, f"the attribute {attribute} of the lock of {field.name}")
            if carried is not None and carried.is_secret:
                raise DesignError(
                    f"{name} gives its lock the attribute {attribute} with {source}, which is a secret, and locks are "
                    "not encrypted; remove it"
                )


def check_lock_owner(
    subject: Subject, field: FieldLayout, primary: KeyLayout, in_key: set[str], carried: Mapping[str, str]
) -> None:
    """Reject a lock that does not identify its owner, and a lock that no other entity could have."""
    name = f"{subject.name}.{field.name}"
    missing = [source for source in primary.names if source not in in_key and source not in carried]
    if missing:
        stored = subject.fields[missing[0]].stored if missing[0] in subject.fields else missing[0]
        raise DesignError(
            f"{name} has a lock that does not identify its owner: it lacks {', '.join(missing)} of the primary key; "
            f'add attributes={{"{stored}": "{{{missing[0]}}}"}}'
        )
    if set(primary.names) <= in_key:
        raise DesignError(
            f"{name} is Unique, but the key of its lock contains the whole primary key, so that each {subject.name} "
            f"has a lock of its own; leave one of {', '.join(primary.names)} out of key=..."
        )


def check_lock_collisions(
    subject: Subject, primary: KeyLayout, copies: Sequence[CopyLayout], locks: Sequence[LockLayout]
) -> None:
    """Reject locks that can have the key of another lock, of the entity or of a copy."""
    others = [("its own key", primary), *((f"its copy {copy.name}", copy.primary) for copy in copies)]
    for lock in locks:
        for what, key in others:
            if _can_be_equal(lock.key, key):
                raise _collision(subject, lock, what, key)
    for one, other in combinations(locks, 2):
        if _can_be_equal(one.key, other.key):
            raise _collision(subject, one, f"the lock of {other.field.name}", other.key)


def _collision(subject: Subject, lock: LockLayout, what: str, other: KeyLayout) -> DesignError:
    mine, theirs = (
        " / ".join(f'"{template.text}"' for _, template in key.parts) for key in (lock.key, other)
    )
    return DesignError(
        f"{subject.name}.{lock.field.name} has the lock key {mine}, which can be equal to {what}, {theirs}; begin each "
        "with its own text"
    )


def _can_be_equal(one: KeyLayout, other: KeyLayout) -> bool:
    """Whether two keys can be equal, as far as their literal text shows. TW107 compares what fields can contain."""
    return all(
        _texts_can_be_equal(mine, theirs)
        for (_, mine), (_, theirs) in zip(one.parts, other.parts, strict=True)
    )


def _texts_can_be_equal(one: Template, other: Template) -> bool:
    if one.is_constant:
        return other.parse(one.text) is not None
    if other.is_constant:
        return one.parse(other.text) is not None
    return [_literal(part) for part in one.parts] == [_literal(part) for part in other.parts]


def _literal(part: str | TemplateField) -> str | None:
    return part if isinstance(part, str) else None
