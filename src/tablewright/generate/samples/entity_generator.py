"""The entity generator: believable entities of a design, which refer to each other.

Entities are made in the order of their references, and written to a database in memory. So what the typed API rejects
(a validator, a unique value, a key that exists) is made again with other values.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from tablewright.access.repository import Repository
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.annotations import plain_type
from tablewright.design.fields.markers import Counter, Ttl, Version
from tablewright.design.keys.key_formats import Descending
from tablewright.design.keys.number_formats import Width
from tablewright.design.layouts.compared_values import allowed
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.design.value_problems import describe_problems, problems_of
from tablewright.errors import TablewrightError, UsageError
from tablewright.generate.samples.coverage import PRESENT, Required, required_values
from tablewright.generate.samples.links import ITSELF, Links
from tablewright.generate.samples.sample_references import SampleReferences, snake_case
from tablewright.generate.samples.sample_texts import Texts, people
from tablewright.generate.samples.sample_values import (
    Decks,
    FieldValues,
    Times,
    creation_time,
    is_future,
    is_identifier,
    ordered,
)


@dataclass(frozen=True, slots=True)
class KeyLimit:
    """The least and the greatest number, and the number of decimals; named as the limits of pydantic."""

    ge: Decimal
    le: Decimal
    decimal_places: int


def key_limits(layout: Layout, name: str) -> Iterator[KeyLimit]:
    """The limits of each key format that a field has in the keys of its entity."""
    keys = (layout.primary, *layout.indexes, *(key for copy in layout.copies for key in copy.keys))
    for template in {template for key in keys for _, template in key.parts}:
        for part in template.fields:
            base = part.key_format.base if isinstance(part.key_format, Descending) else part.key_format
            if part.name == name and isinstance(base, Width):
                yield KeyLimit(base.lowest, base.highest, base.decimals)


ATTEMPTS = 40
_SKIPPED = object()
_WITH_STATE = re.compile(r"^(?P<state>\w+?)_(at|by|on|reason|until|url)$")
_RARE = re.compile("delet|clos|mov|ban|revok|archiv|cancel|fail|error|candidate|suspend|block")


class EntityGenerator:
    """Generates the entities of a design into a database in memory."""

    def __init__(self, db: Repository, seed: int) -> None:
        self._db = db
        self._random = random.Random(seed)
        self._decks = Decks(self._random)
        self._people = people(self._random)
        self._references = SampleReferences(db.design)
        self._links = Links(self._random, self._decks, self._references)
        self._now = datetime.fromtimestamp(db.context.now(), UTC)

    def generate(self, count: int) -> list[Entity]:
        """At least `count` entities of each class, each after those that it refers to."""
        entities: list[Entity] = []
        for entity in self._references.order:
            required = self._required(entity)
            for place in range(max(count, len(required))):
                made = self._written(entity, place, required[place] if place < len(required) else {})
                if made is None:
                    break
                entities.append(made)
        return entities

    def _required(self, entity: type[Entity]) -> list[Required]:
        """What the first entities of a class must have; those that refer to another of their class come later."""
        parents = {reference.field for reference in self._references.of(entity) if reference.target is entity}

        def has_parent(values: Required) -> bool:
            return any(values.get(name) is PRESENT for name in parents)

        ordered = sorted(required_values(self._db.design, entity), key=has_parent)
        return [{}, *ordered] if has_parent(ordered[0]) else ordered

    def _written(self, entity: type[Entity], place: int, required: Required) -> Entity | None:
        """An entity that was written; None when no other one can exist, because all keys are in use."""
        problem: Exception | None = None
        for attempt in range(ATTEMPTS):
            try:
                made, created = self._make(entity, place, attempt, required)
                self._db.create(made)
            except (ValidationError, TablewrightError) as error:
                problem = error
            else:
                self._links.add(made, created)
                return made
        if self._links.made(entity) and not isinstance(problem, ValidationError):
            return None
        assert problem is not None
        raise UsageError(f"cannot generate a sample of {entity.__name__}: {_first(problem)}") from None

    def _make(
        self, entity: type[Entity], place: int, attempt: int, required: Required
    ) -> tuple[Entity, datetime]:
        layout = entity.layout
        linked, earliest = self._links.choose(entity, place, attempt, required)
        created = creation_time(self._random, self._now, earliest, _life(layout))
        texts = Texts(self._random, snake_case(entity.__name__), next(self._people), place + attempt)
        times = Times(self._random, created, self._now)
        values = FieldValues(self._random, self._decks, entity.__name__, texts, times)
        made = _OneEntity(layout, values, self._decks, required, linked).values()
        own = made.get(self._references.identity(entity) or "")
        resolved = {name: own if value is ITSELF else value for name, value in made.items()}
        return entity.model_validate(ordered(resolved), by_name=True, by_alias=False), created


class _OneEntity:
    """The values of one entity: first its states, then what depends on them, then the time of the last change."""

    def __init__(
        self,
        layout: Layout,
        values: FieldValues,
        decks: Decks,
        required: Required,
        linked: dict[str, Any],
    ) -> None:
        self._layout = layout
        self._values = values
        self._decks = decks
        self._required = required
        # A reference that must be absent is absent, whatever was chosen for it.
        self._made = {
            name: value for name, value in linked.items() if required.get(name, PRESENT) is not None
        }

    def values(self) -> dict[str, Any]:
        """The value of each field that does not keep its default."""
        fields = [field for field in self._layout.fields.values() if field.name not in self._made]
        states = [field for field in fields if _is_state(field)]
        touched = [field for field in fields if field.automatic == "touched"]
        others = [field for field in fields if field not in states and field not in touched]
        expiries = [field for field in others if field.marker(Ttl)]
        for field in (*states, *(other for other in others if other not in expiries), *expiries, *touched):
            value = self._value(field, self._layout.entity.model_fields[field.name])
            if value is not _SKIPPED:
                self._made[field.name] = value
        return self._made

    def _value(self, field: FieldLayout, info: FieldInfo) -> Any:
        required = self._required.get(field.name, PRESENT)
        if required is not PRESENT:
            return required
        if field.automatic:
            times = self._values.times
            return field.time_value(times.changed() if field.automatic == "touched" else times.created)
        if field.marker(Version) or (field.marker(Ttl) and field.marker(Ttl).of):
            return _SKIPPED
        if field.optional and not self._is_present(field.name):
            return None if info.is_required() else _SKIPPED
        if field.marker(Ttl):
            return self._expiry()
        return self._default(field, info) if not info.is_required() else self._value_within(field, info)

    def _value_within(self, field: FieldLayout, info: FieldInfo) -> Any:
        """A value that the field accepts, and that fits the key formats of the field."""
        return self._values.value(field.name, info, tuple(key_limits(self._layout, field.name)))

    def _default(self, field: FieldLayout, info: FieldInfo) -> Any:
        """A value for a field with a default: ids, states, lists and empty texts get one, others keep theirs."""
        factory = info.default_factory
        if factory is not None and info.default_factory_takes_validated_data:
            return _SKIPPED
        if factory in (list, set, frozenset, tuple):
            return self._value_within(field, info)
        if factory is not None:
            plain, _ = plain_type(field.annotation)
            is_id = plain is str or is_identifier(field.name)
            return self._values.like_default(factory) if is_id else _SKIPPED  # type: ignore[arg-type]
        if field.marker(Counter):
            return self._values.typed("count", int)
        if info.default in (None, "") or _is_state(field):
            return self._value_within(field, info)
        return _SKIPPED

    def _is_present(self, name: str) -> bool:
        """Whether an optional field has a value: if it must have one, if its state says so, or usually."""
        if self._required.get(name, None) is PRESENT:
            return True
        for state, value in self._made.items():
            stem = re.sub("^(is|has|was)_", "", state)
            if isinstance(value, bool) and name.startswith(f"{stem}_"):
                return value
            match = _WITH_STATE.match(name)
            members = [member.name.lower() for member in type(value)] if isinstance(value, Enum) else []
            if match and match["state"] in members:
                return bool(value.name.lower() == match["state"])
        usual = (True, False, False, False) if _RARE.match(name) else (True, True, False)
        return bool(self._decks.draw(f"{self._layout.entity.__name__}.{name}?", usual))

    def _expiry(self) -> int:
        """The time of expiry in seconds: that of another field with the same time, or one in the future."""
        times = [
            value for name, value in self._made.items() if "expir" in name and isinstance(value, datetime)
        ]
        return int((times[0] if times else self._values.times.future()).timestamp())


def _is_state(field: FieldLayout) -> bool:
    """Whether a field has one of a few values."""
    plain, _ = plain_type(field.annotation)
    return plain is bool or allowed(plain) is not None


def _life(layout: Layout) -> timedelta | None:
    """How long after its creation an entity expires; None if it does not."""
    lifetimes = [ttl.after for _, ttl in layout.marked(Ttl) if ttl.of and not is_future(ttl.of)]
    return min(lifetimes, default=None)


def _first(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return describe_problems(problems_of(error)[:1])
    return str(error).splitlines()[0]
