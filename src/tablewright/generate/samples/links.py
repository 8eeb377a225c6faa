"""Links: the entities that a new entity refers to, chosen among those that were made before.

What belongs together stays together: an application for a role has the startup of that role, and the sender of a
message is a participant of its conversation.
"""

import random
from datetime import datetime
from enum import Enum
from typing import Any

from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import References
from tablewright.design.layouts.layouts import FieldLayout
from tablewright.generate.samples.coverage import PRESENT, Required
from tablewright.generate.samples.sample_references import EntityReference, SampleReferences
from tablewright.generate.samples.sample_values import Decks

_OWN = ("created_at", "updated_at", "timestamp", "name", "title", "description")
"""Fields that two entities have in common by name only."""
_LABELS = ("name", "title")
"""Fields that an entity without an id of its own repeats: a loan has the title of its book."""
ITSELF = object()
"""The value of a reference to the new entity itself: the root of a tree is its own root."""


class Links:
    """Chooses references."""

    def __init__(self, source: random.Random, decks: Decks, references: SampleReferences) -> None:
        self._random = source
        self._decks = decks
        self._references = references
        self._made: dict[type[Entity], list[tuple[Entity, datetime]]] = {}
        self._depth = {entity: place for place, entity in enumerate(references.order)}

    def add(self, entity: Entity, created: datetime) -> None:
        """Record an entity that others may refer to."""
        self._made.setdefault(type(entity), []).append((entity, created))

    def made(self, entity: type[Entity]) -> int:
        """The number of entities of a class so far."""
        return len(self._made.get(entity, ()))

    def choose(
        self, entity: type[Entity], place: int, attempt: int, required: Required
    ) -> tuple[dict[str, Any], datetime | None]:
        """The values of the fields that refer to others, and the time when the youngest of these was created."""
        choice = _Choice(entity, place, attempt)
        references = sorted(self._references.of(entity), key=self._priority)
        for reference in references:
            if reference.field not in choice.values:
                self._link(choice, reference, {linked.field for linked in references}, required)
        return choice.values, choice.youngest

    def _priority(self, reference: EntityReference) -> tuple[bool, int]:
        """Deep references first: they determine the others; the roles of people come last."""
        return bool(reference.role), -self._depth[reference.target]

    def _link(
        self, choice: "_Choice", reference: EntityReference, fields: set[str], required: Required
    ) -> None:
        if (
            reference.may_lack
            and required.get(reference.field) is not PRESENT
            and not self._draws(choice, reference)
        ):
            choice.values[reference.field] = reference.default
            return
        candidates = self._candidates(choice, reference)
        if not candidates:
            if reference.may_lack:
                choice.values[reference.field] = reference.default
            elif reference.target is choice.entity:
                choice.values[reference.field] = ITSELF
            return
        if reference.many:
            count = min(len(candidates), self._random.randint(2, 4))
            chosen = self._random.sample(candidates, count)
            choice.values[reference.field] = [getattr(one, reference.target_field) for one, _ in chosen]
            return
        one, created = candidates[self._place(choice, reference, len(candidates))]
        choice.values[reference.field] = getattr(one, reference.target_field)
        choice.youngest = max(choice.youngest or created, created)
        if not reference.role:
            self._share(choice, one, fields)

    def _draws(self, choice: "_Choice", reference: EntityReference) -> bool:
        name = f"{choice.entity.__name__}.{reference.field}?"
        return bool(self._decks.draw(name, (True, True, False)))

    def _candidates(self, choice: "_Choice", reference: EntityReference) -> list[tuple[Entity, datetime]]:
        """The entities that a reference may name: those of the group if there is one, then those with the role."""
        made = self._made.get(reference.target, [])
        if choice.group is not None and reference.target is choice.group[0]:
            made = [
                target for target in made if getattr(target[0], reference.target_field) in choice.group[1]
            ] or made
        elif reference.role:
            fitting = [target for target in made if _has_role(target[0], reference.role)]
            made = fitting or made
        used = set(map(str, choice.values.values()))
        free = [target for target in made if getattr(target[0], reference.target_field) not in used]
        return free or made

    def _place(self, choice: "_Choice", reference: EntityReference, count: int) -> int:
        """Which candidate: in turn where the key allows one for each, otherwise the first ones more often."""
        in_key = {name for _, template in choice.layout.primary.parts for name in template.names}
        if in_key <= {reference.field} or choice.attempt > 2:
            return (choice.place + choice.attempt) % count
        return int(count * self._random.random() ** 1.8)

    def _share(self, choice: "_Choice", one: Entity, references: set[str]) -> None:
        """Take over what the chosen entity determines: its own references, and fields of keys with the same name."""
        in_keys = {name for key in (choice.layout.primary, *choice.layout.indexes) for name in key.names}
        if isinstance(one, choice.entity):  # such as a parent: its own fields are not those of the child
            in_keys = set()
        own = self._references.identity(choice.entity)
        theirs = one.layout.fields
        for name, field in choice.layout.fields.items():
            repeats = own is None and name in _LABELS
            if name in choice.values or name == own or name not in theirs or (name in _OWN and not repeats):
                continue
            if (repeats or name in references or (name in in_keys and _is_shared(field))) and _same(
                field, theirs[name]
            ):
                value = getattr(one, name)
                if value is not None:
                    choice.values[name] = value
        self._join(choice, one)

    def _join(self, choice: "_Choice", one: Entity) -> None:
        """Remember the group that an entity has, or that something has to which it belongs."""
        for reference in self._references.of(type(one)):
            value = getattr(one, reference.field)
            if reference.many and not reference.field.endswith("_by"):
                choice.group = (reference.target, set(value or ()))
            elif choice.values.get(reference.field) == value and not reference.role:
                for other, _ in self._made.get(reference.target, ()):
                    if getattr(other, reference.target_field) == value and other is not one:
                        self._join(choice, other)


class _Choice:
    """What was chosen for one entity so far."""

    def __init__(self, entity: type[Entity], place: int, attempt: int) -> None:
        self.entity = entity
        self.layout = entity.layout
        self.place = place
        self.attempt = attempt
        self.values: dict[str, Any] = {}
        self.youngest: datetime | None = None
        self.group: tuple[type[Entity], set[str]] | None = None
        """The class and the ids of a group, such as the participants of a conversation."""


def _has_role(entity: Entity, role: str) -> bool:
    return any(isinstance(value, Enum) and value.name.lower() == role for value in entity.__dict__.values())


def _is_shared(field: FieldLayout) -> bool:
    is_enum = isinstance(field.annotation, type) and issubclass(field.annotation, Enum)
    marked = any(not isinstance(marker, References) for marker in field.markers)
    return not field.automatic and not is_enum and not marked


def _same(one: FieldLayout, other: FieldLayout) -> bool:
    return bool(one.annotation == other.annotation) and not other.is_secret
