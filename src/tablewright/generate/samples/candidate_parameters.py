"""Candidate parameters: values with which an access pattern may find a stored entity, from its fields and its keys."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from itertools import islice, product
from typing import Any, get_args, get_origin

from pydantic import ValidationError

from tablewright.design.entities.entities import Entity
from tablewright.design.fields.annotations import plain_type
from tablewright.design.keys.key_formats import Descending, KeyFormat
from tablewright.design.keys.number_formats import Width
from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.keys.text_formats import Shard
from tablewright.design.keys.timestamps import parse_timestamp
from tablewright.design.patterns import Pattern
from tablewright.design.plans.plans import Plan, parameter_type
from tablewright.dynamodb.values.attributes import Item

_PER_ITEM = 24
"""Requests that are made from one item."""


class CandidateParameters:
    """Makes requests of one pattern from stored entities; `now` is the middle of the ranges of times."""

    def __init__(self, pattern: type[Pattern[Any]], now: datetime) -> None:
        self._pattern = pattern
        self._plan = pattern.__plan__
        self._now = now

    def requests(self, entity: Entity, item: Item | None) -> Iterator[Pattern[Any]]:
        """Requests that may find an entity, the most likely first.

        `item` is one of its items, or None for a pattern without a key condition.
        """
        names = list(self._pattern.model_fields)
        texts = _key_texts(self._plan, item) if item else {}
        choices = [self._candidates(name, entity, texts) for name in names]
        for values in islice(product(*choices), _PER_ITEM):
            parameters = dict(zip(names, values, strict=True))
            try:
                yield self._pattern.model_validate(self._as_lists(parameters), by_name=True, by_alias=False)
            except ValidationError:
                continue

    def _as_lists(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of a batch that are lists get a list of one value."""
        if self._plan.kind != "batch":
            return dict(values)
        lists = {
            name
            for name, info in self._pattern.model_fields.items()
            if get_origin(plain_type(info.annotation)[0]) in (list, tuple, set)
        }
        return {name: [value] if name in lists else value for name, value in values.items()}

    def _candidates(self, name: str, entity: Entity, texts: Mapping[str, str]) -> list[Any]:
        """The values to try for a parameter, the most likely first."""
        kind = parameter_type(self._pattern, self._plan.kind, name)
        info = self._pattern.model_fields[name]
        candidates = [*self._from_key(name, kind, entity, texts), *self._from_filter(name, entity)]
        candidates += [getattr(entity, name)] if name in type(entity).model_fields else []
        if not info.is_required():
            candidates.insert(0, info.get_default(call_default_factory=True))
        return _distinct(candidates) or _any_of(kind)

    def _from_key(self, name: str, kind: Any, entity: Entity, texts: Mapping[str, str]) -> Iterator[Any]:
        for clause in self._plan.clauses:
            text = texts.get(clause.attribute)
            if text is None or name not in clause.names:
                continue
            in_range = clause.operator not in ("=", "begins_with")
            if in_range and not self._is_fixed(name):
                is_low = (
                    name in clause.templates[0].names
                    if clause.operator == "BETWEEN"
                    else clause.operator[0] == ">"
                )
                formats = [
                    part.key_format
                    for key_template in clause.templates
                    for part in key_template.fields
                    if part.name == name
                ]
                yield from self._extremes(kind, formats[0], upper=not is_low)
            for template in clause.templates:
                yield from _parsed(template, name, kind, text, whole=clause.operator == "=")

    def _is_fixed(self, name: str) -> bool:
        """Whether an equality contains the parameter too."""
        return any(name in clause.names for clause in self._plan.clauses if clause.operator == "=")

    def _extremes(self, kind: Any, key_format: KeyFormat | None, *, upper: bool) -> Iterator[Any]:
        """The greatest or the least value of a type, so that a range contains all samples."""
        if isinstance(key_format, Descending):
            key_format, upper = key_format.base, not upper
        sign = 1 if upper else -1
        far = self._now + sign * timedelta(days=400)
        known: dict[Any, Any] = {datetime: far, date: far.date(), str: "~" if upper else "!"}
        least, most = Decimal(0), Decimal(10**15 - 1)
        if isinstance(key_format, Width):
            least, most = key_format.lowest, key_format.highest
        known |= {number: number(most if upper else least) for number in (int, float, Decimal)}
        if kind in known:
            yield known[kind]

    def _from_filter(self, name: str, entity: Entity) -> Iterator[Any]:
        for comparison in self._plan.filter.comparisons if self._plan.filter else ():
            value = _field_value(entity, comparison.field)
            if comparison.parameter != name or value is None:
                continue
            if comparison.use == "element" and isinstance(value, list | set | tuple | frozenset):
                yield from sorted(value, key=str)
            else:
                yield value
            if comparison.use == "order":
                yield from _neighbours(value)


def _field_value(entity: Entity, path: str) -> Any:
    """The value of a field, or of a field inside it: `address.city`; None if there is none."""
    value: Any = entity
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    return value


def _neighbours(value: Any) -> Iterator[Any]:
    """A smaller and a greater value, for comparisons that exclude the value itself."""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        yield from (value - 1, value + 1)
    elif isinstance(value, date):
        yield from (value - timedelta(days=1), value + timedelta(days=1))
    elif isinstance(value, str) and not isinstance(value, Enum):
        yield from ("!", "~")


def _key_texts(plan: Plan, item: Item) -> dict[str, str]:
    return {
        clause.attribute: str(next(iter(item[clause.attribute].values())))
        for clause in plan.clauses
        if clause.attribute in item
    }


def _parsed(template: Template, name: str, kind: Any, text: str, *, whole: bool) -> Iterator[Any]:
    """The value of a parameter in a key, as its type."""
    pattern, groups = "", []
    for part in template.parts:
        if isinstance(part, str):
            pattern += re.escape(part)
        else:
            shape = re.escape(part.shape).replace("0", "[0-9]")
            pattern += f"({shape or part.pattern})"
            groups.append(part)
    match = re.match(pattern + ("$" if whole else ""), text, re.DOTALL)
    if match is None:
        return
    for part, content in zip(groups, match.groups(), strict=True):
        if part.name == name and not isinstance(part.key_format, Shard):
            value = _converted(kind, _restored(content, part), part)
            if value is not None:
                yield value


def _converted(kind: Any, text: str, part: TemplateField) -> Any:
    try:
        if kind in (datetime, date):
            time = _time(text, part)
            return time.date() if kind is date and time is not None else time
        if kind in (int, float, Decimal):
            return kind(text)
        if isinstance(kind, type) and issubclass(kind, Enum):
            return next((member for member in kind if str(member.value) == text), None)
    except (ValueError, ArithmeticError):
        return None
    return text


def _restored(text: str, part: TemplateField) -> str:
    """The text of a key part in ascending order; of a whole value, its own text."""
    key_format = part.key_format
    return text if key_format is None else key_format.restore(text)


def _time(text: str, part: TemplateField) -> datetime | None:
    if part.time_text:
        time = datetime.strptime(text, part.time_text)
    else:
        parsed = parse_timestamp(text)
        time = parsed if isinstance(parsed, datetime) else datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _any_of(kind: Any) -> list[Any]:
    """Some values of a type, for a parameter that is in no key."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)
    known: dict[Any, list[Any]] = {bool: [True, False], int: list(range(16)), str: ["a"]}
    return known.get(kind, list(get_args(kind)) or [None])


def _distinct(values: Iterable[Any]) -> list[Any]:
    distinct: list[Any] = []
    for value in values:
        if value is not None and value not in distinct:
            distinct.append(value)
    return distinct
