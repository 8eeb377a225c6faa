"""Sample references: which fields of a design contain the id of another entity, as declared or by their names.

A field with `fields.References(...)` refers to its target. Otherwise an id belongs to the entity that it names:
`user_id` to `User`, `thread_id` to `AssistThread.id`. Fields that name a role of a person (`owner_id`, `created_by`,
`participants`) refer to the entity of users, if the design has one.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args, get_origin

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.annotations import plain_type
from tablewright.design.layouts.layouts import Layout

_PEOPLE = ("user", "person", "member", "customer", "student", "player", "employee", "account", "profile")
_ROLE = re.compile(
    r"(^|_)(owner|founder|investor|requester|applicant|sender|recipient|receiver|author|creator|assignee|reviewer|"
    r"approver|manager|participant|follower|friend|buyer|seller|sponsor|mentor|low|high)_ids?$|"
    r"_by$|^(participants|members|followers|friends|attendees|owners|assignees)$"
)
_CODE = re.compile(r"_(type|code|key|slug|sku)$")
"""Names of texts that identify an entity as an id does: `service_type` of `AvailableService`."""


@dataclass(frozen=True, slots=True)
class EntityReference:
    """A field that contains the id of another entity, or a list of such ids."""

    field: str
    target: type[Entity]
    target_field: str
    many: bool
    optional: bool
    """Whether it may be None."""
    default: Any
    """Its default if it has one that is not None; otherwise None."""
    role: str
    """The role of a person: `founder` for `founder_id`; empty for other references."""

    @property
    def may_lack(self) -> bool:
        """Whether an entity is valid without it."""
        return self.optional or self.default is not None


def snake_case(name: str) -> str:
    """The name of a class as that of a field.

    >>> snake_case("AssistThread"), snake_case("OAuthToken")
    ('assist_thread', 'oauth_token')
    """
    words = re.findall(r"OAuth|[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+", name)
    return "_".join(words).lower()


class SampleReferences:
    """The references between the entities of a design."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self._owners = _owners(design)

    def of(self, entity: type[Entity]) -> tuple[EntityReference, ...]:
        """The references of an entity, in the order of its fields."""
        return self._all[entity]

    def identity(self, entity: type[Entity]) -> str | None:
        """The field that contains the id of an entity; None if it has no id of its own."""
        return next((field for owner, field in self._owners.values() if owner is entity), None)

    @cached_property
    def _all(self) -> Mapping[type[Entity], tuple[EntityReference, ...]]:
        return {entity: tuple(self._found(entity)) for entity in self.design.entities}

    @cached_property
    def order(self) -> tuple[type[Entity], ...]:
        """The entities, each after those that it refers to; in a circle, an optional reference comes later."""
        placed: dict[type[Entity], None] = {}
        visiting: set[type[Entity]] = set()

        def place(entity: type[Entity]) -> None:
            if entity in placed or entity in visiting:
                return
            visiting.add(entity)
            for reference in sorted(self.of(entity), key=lambda candidate: candidate.may_lack):
                if not (reference.may_lack and entity in {back.target for back in self.of(reference.target)}):
                    place(reference.target)
            placed[entity] = None

        for entity in self.design.entities:
            place(entity)
        return tuple(placed)

    def _found(self, entity: type[Entity]) -> Iterator[EntityReference]:
        own = self.identity(entity)
        declared = {each.field.name: each for each in self.design.references_of(entity)}
        for name, field in entity.layout.fields.items():
            many, text = _is_text(field.annotation)
            target: tuple[type[Entity], str] | None
            if name in declared:
                reference = declared[name]
                many, target = reference.many, (reference.target, reference.target_field)
            elif not text or field.is_secret or name == own:
                continue
            else:
                target = self._target(re.sub(r"_ids$", "_id", name))
            if target is not None:
                role = re.sub(r"_(ids?|by)$|s$", "", name) if _ROLE.search(name) else ""
                info = entity.model_fields[name]
                default = info.default if isinstance(info.default, str) else None
                yield EntityReference(name, *target, many, field.optional, default, role)

    def _target(self, name: str) -> tuple[type[Entity], str] | None:
        stem = name.removesuffix("_id")
        if name == stem:
            owner = self._owners.get(name)
            if owner is not None and owner[1] == name:
                return owner
            return self._person if _ROLE.search(name) else None
        words = stem.split("_")
        for start in range(len(words)):
            owner = self._owners.get("_".join(words[start:]))
            if owner is not None:
                return owner
        return self._person if _ROLE.search(name) else None

    @cached_property
    def _person(self) -> tuple[type[Entity], str] | None:
        return next((self._owners[stem] for stem in _PEOPLE if stem in self._owners), None)


def _owners(design: Design) -> dict[str, tuple[type[Entity], str]]:
    """The entity and the field behind each name: `user` is `User.user_id`."""
    owners: dict[str, tuple[int, type[Entity], str]] = {}
    for entity in design.entities:
        for stem, field, score in _claims(entity.layout):
            if score > owners.get(stem, (0,))[0]:
                owners[stem] = (score, entity, field)
    return {stem: (entity, field) for stem, (_, entity, field) in owners.items()}


def _claims(layout: Layout) -> Iterator[tuple[str, str, int]]:
    """The names that an entity may own, its field, and how well they fit."""
    entity = snake_case(layout.entity.__name__)
    in_key = {name for _, template in layout.primary.parts for name in template.names}
    for name, field in layout.fields.items():
        stem = name.removesuffix("_id")
        generated = layout.entity.model_fields[name].default_factory is not None
        names_itself = generated and stem in (entity, "id")
        if not (name in in_key or names_itself) or not _is_text(field.annotation)[1] or field.is_secret:
            continue
        if name == "id":
            yield entity, name, 5
            yield entity.split("_")[-1], name, 3
        elif stem == entity:
            yield stem, name, 5
        elif name != stem and generated:
            yield stem, name, 4
        elif name != stem and in_key == {name} and entity.startswith(f"{stem}_"):
            yield stem, name, 3
        elif name != stem and in_key == {name}:
            yield stem, name, 1
        elif in_key == {name} and _CODE.search(name) and name.split("_")[0] in entity.split("_"):
            yield name, name, 2


def _is_text(annotation: Any) -> tuple[bool, bool]:
    """Whether a type is a list or a set, and whether its values or elements are texts."""
    plain, _ = plain_type(annotation)
    many = get_origin(plain) in (list, set, frozenset, tuple)
    inner = plain_type(get_args(plain)[0])[0] if many and get_args(plain) else plain
    return many, inner is str
