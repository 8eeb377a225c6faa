"""Field values of sample data: a value of any type that a field may have, within its limits.

Numbers have the order of magnitude that the name of their field suggests. Times are in order: created, then changed,
then now; what expires or is due is in the future.
"""

import random
import re
import types
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from math import hypot
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from tablewright.design.fields.markers import Vector
from tablewright.generate.samples.sample_texts import (
    Texts,
    like_factory,
    matching_text,
    seeded_ulid,
    seeded_uuid,
)

SPAN = timedelta(days=90)
"""The oldest entities are about as old as this."""
_FUTURE = re.compile(
    r"expir|(^|_)until($|_)|(^|_)due|(^|_)end(s|ing|_|$)|_ends?_|(^|_)next_|scheduled|deadline|renew|appointment|"
    r"arrival|travel|departure|check_out|delivery_date|valid_to|refreshing|claimed_until|period_end"
)
_BIRTH = re.compile(r"birth|(^|_)dob$")


class Times:
    """The times of one entity: it was created at `created`, and the present is `now`."""

    def __init__(self, source: random.Random, created: datetime, now: datetime) -> None:
        self._random = source
        self.created = created
        self.now = now
        self._latest = created
        """The latest time in the past so far; the next one is not earlier."""

    def by_name(self, name: str) -> datetime:
        """A time for a field with that name.

        >>> times = Times(random.Random(1), datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC))
        >>> times.by_name("created_at") <= times.by_name("sent_at") <= times.now < times.by_name("expires_at")
        True
        """
        if _BIRTH.search(name):
            return self._rounded(self.now - timedelta(days=self._random.randint(18 * 365, 70 * 365)))
        if is_future(name):
            return self.future()
        if re.match(r"created|(^|_)start|begin", name) or name == "timestamp":
            return self.created
        return self.changed()

    def changed(self) -> datetime:
        """A time after all others in the past, and not after now."""
        left = (self.now - self._latest) * self._random.uniform(0.02, 0.3)
        self._latest = self._rounded(self._latest + left)
        return self._latest

    def future(self) -> datetime:
        """A time within the next weeks."""
        return self._rounded(self.now + timedelta(hours=self._random.randint(6, 60 * 24)))

    @staticmethod
    def _rounded(time: datetime) -> datetime:
        return time.replace(microsecond=time.microsecond // 1000 * 1000)

    def day(self, name: str) -> date:
        """A date for a field with that name."""
        return self.by_name(name).astimezone(UTC).date()


def is_future(name: str) -> bool:
    """Whether a field names a time that is usually in the future.

    >>> is_future("expires_at"), is_future("created_at")
    (True, False)
    """
    return _FUTURE.search(name) is not None


def creation_time(
    source: random.Random, now: datetime, earliest: datetime | None, longest: timedelta | None = None
) -> datetime:
    """A time of creation: not before what the entity refers to, and so late that it has not expired yet.

    `longest` is the life of the entity after its creation; None if it does not expire.
    """
    start = max(earliest or now - SPAN, now - SPAN)
    if longest is not None:
        start = max(start, now - longest * 0.9)
    created = start + (now - start) * source.uniform(0.02, 0.95)
    return created.replace(microsecond=created.microsecond // 1000 * 1000)


_RANGES: tuple[tuple[re.Pattern[str], float, float, float], ...] = tuple(
    (re.compile(pattern), low, high, step)
    for pattern, low, high, step in (
        (r"raised|received|paid_in", 5_000, 150_000, 1_000),
        (r"funding|goal|revenue|valuation|investment", 200_000, 2_000_000, 1_000),
        (r"salary|income|wage", 28_000, 120_000, 500),
        (r"rent|housing|tuition|budget", 400, 1_800, 10),
        (r"price|cost|amount|total|fee|balance|subtotal|charge|payment|money", 5, 250, 0.01),
        (r"percent|ratio|progress|completion", 0, 100, 1),
        (r"^age$|_age$", 18, 80, 1),
        (r"rating|stars|score", 1, 5, 1),
        (r"latitude|^lat$", -60, 70, 0.0001),
        (r"longitude|^lon$|^lng$", -180, 180, 0.0001),
        (r"year$", 2015, 2026, 1),
        (r"expires_in|seconds$|duration", 300, 7_200, 60),
        (r"bytes|storage|file_size", 10_000, 50_000_000, 1),
        (r"level|depth|rank|priority|generation", 0, 3, 1),
        (r"days$|hours$|minutes$", 1, 30, 1),
        (r"quantity|qty|seats|stock|count|size|items|members|attempts|tries|retries|number", 1, 20, 1),
    )
)
_USUAL = (1, 500, 1)


def sample_number(name: str, limits: Sequence[Any], source: random.Random, *, whole: bool) -> Decimal:
    """A number for a field with that name, within its limits.

    >>> from annotated_types import Ge, Lt
    >>> sample_number("price", [Ge(0)], random.Random(1), whole=False)
    Decimal('49.02')
    >>> 600 <= sample_number("size", [Ge(600), Lt(700)], random.Random(1), whole=True) < 700
    True
    """
    usual_low, usual_high, step = next(
        ((low, high, step) for pattern, low, high, step in _RANGES if pattern.search(name)), _USUAL
    )
    grain = _grain(limits, step, whole=whole)
    low, high = _bounds(limits, grain)
    if low is None and high is None:
        low, high = Fraction(str(usual_low)), Fraction(str(usual_high))
    elif low is None:
        low = min(Fraction(str(usual_low)), high or Fraction(0))
    elif high is None:
        fits = usual_high > low
        high = Fraction(str(usual_high)) if fits else low + 100 * grain
        low = max(low, Fraction(str(usual_low))) if fits else low
    elif low <= usual_low <= usual_high <= (high or 0):
        low, high = Fraction(str(usual_low)), Fraction(str(usual_high))
    assert high is not None
    first, last = -(-low // grain), high // grain
    chosen = source.randint(first, max(first, last)) * grain
    return Decimal(chosen.numerator) / Decimal(chosen.denominator)


def _grain(limits: Sequence[Any], step: float, *, whole: bool) -> Fraction:
    """The distance between two values."""
    multiple = limit(limits, "multiple_of")
    if multiple is not None:
        return Fraction(str(multiple))
    places = limit(limits, "decimal_places")
    least = Fraction(1) if whole else Fraction(1, 10 ** (2 if places is None else places))
    return max(Fraction(str(step)), least) if step >= 1 or whole else least


def _bounds(limits: Sequence[Any], grain: Fraction) -> tuple[Fraction | None, Fraction | None]:
    low = [*_all(limits, "ge"), *(bound + grain for bound in _all(limits, "gt"))]
    high = [*_all(limits, "le"), *(bound - grain for bound in _all(limits, "lt"))]
    digits = limit(limits, "max_digits")
    if digits is not None:
        high.append(Fraction(10 ** (digits - (limit(limits, "decimal_places") or 0)) - 1))
    return max(low, default=None), min(high, default=None)


def _all(limits: Sequence[Any], name: str) -> list[Fraction]:
    """The values of one limit, of all that are set."""
    values = (getattr(constraint, name, None) for constraint in limits)
    return [Fraction(str(bound)) for bound in values if bound is not None]


def limit(limits: Sequence[Any], name: str) -> Any:
    """The value of one limit of a field: `pattern`, `ge`, `max_length` and so on; None if it is not set."""
    for constraint in limits:
        if (bound := getattr(constraint, name, None)) is not None:
            return bound
    return None


_ELEMENTS = 3
"""The most elements of a list."""


class Decks:
    """Choices without repetition: all members of an enum occur before one occurs again."""

    def __init__(self, source: random.Random) -> None:
        self._random = source
        self._decks: dict[str, list[Any]] = {}

    def draw(self, name: str, members: Sequence[Any]) -> Any:
        """The next member for a field with that name."""
        deck = self._decks.setdefault(name, [])
        if not deck:
            deck += self._random.sample(members, len(members))
        return deck.pop()


class FieldValues:
    """Makes the values of one entity; `path` names the class, so that its enums are drawn from decks of their own."""

    def __init__(self, source: random.Random, decks: Decks, path: str, texts: Texts, times: Times) -> None:
        self._random = source
        self._decks = decks
        self._path = path
        self.texts = texts
        self.times = times

    def model(self, model: type[BaseModel]) -> BaseModel:
        """A nested model with its required fields, and with some of the optional ones."""
        values = {
            name: self.value(name, info)
            for name, info in model.model_fields.items()
            if info.is_required() or (info.default is None and self._random.random() < 0.7)
        }
        return model.model_validate(ordered(values), by_name=True, by_alias=False)

    def value(self, name: str, info: FieldInfo, limits: Sequence[Any] = ()) -> Any:
        """A value for a field. One with examples takes one of them in half of the cases."""
        examples = info.examples or _examples(info.annotation)
        if examples and self._random.random() < 0.5:
            return self._random.choice(examples)
        return self.typed(name, info.annotation, [*info.metadata, *limits])

    def typed(self, name: str, annotation: Any, limits: Sequence[Any] = ()) -> Any:
        """A value of a type, within its limits."""
        origin, inner = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self.typed(name, inner[0], [*limits, *_flat(inner[1:])])
        if origin is Literal:
            return self._decks.draw(f"{self._path}.{name}", inner)
        if origin in (Union, types.UnionType):
            members = [option for option in inner if option is not type(None)]
            return self.typed(name, self._decks.draw(f"{self._path}.{name}|", members), limits)
        if origin is dict:
            return {"source": self.typed("source", inner[1])} if inner and inner[0] is str else {}
        if origin in (list, set, frozenset, tuple):
            return self._elements(name, origin, inner, limits)
        if isinstance(annotation, type) and issubclass(annotation, Enum):
            return self._decks.draw(f"{self._path}.{name}", list(annotation))
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return self.model(annotation)
        return self._plain(name, annotation, limits)

    def _plain(self, name: str, annotation: Any, limits: Sequence[Any]) -> Any:
        source = self._random
        simple: dict[Any, Callable[[], Any]] = {
            bool: lambda: self._decks.draw(f"{self._path}.{name}", (True, False)),
            bytes: lambda: source.randbytes(max(8, limit(limits, "min_length") or 0)),
            datetime: lambda: self.times.by_name(name),
            date: lambda: self.times.day(name),
            time: lambda: time(source.randint(7, 19), source.choice((0, 15, 30, 45))),
            timedelta: lambda: timedelta(minutes=source.randint(5, 120)),
            UUID: lambda: seeded_uuid(source),
            int: lambda: self._integer(name, limits),
            float: lambda: float(sample_number(name, limits, source, whole=False)),
            Decimal: lambda: sample_number(name, limits, source, whole=False),
        }
        make = simple.get(annotation)
        return make() if make is not None else self._text(name, annotation, limits)

    def _integer(self, name: str, limits: Sequence[Any]) -> int:
        """A number; a field named as a time has milliseconds, or seconds if its limits require them."""
        if re.search(r"(^|_)(timestamp|at|time)$", name):
            milliseconds = round(self.times.by_name(name).timestamp() * 1000)
            most = limit(limits, "lt") or limit(limits, "le")
            return milliseconds // 1000 if most is not None and most < milliseconds else milliseconds
        return int(sample_number(name, limits, self._random, whole=True))

    def _elements(self, name: str, origin: Any, inner: tuple[Any, ...], limits: Sequence[Any]) -> Any:
        """Elements of a list, a set or a tuple: at least one, each once; the numbers of a vector of length 1."""
        vector = next((marker for marker in limits if isinstance(marker, Vector)), None)
        if vector is not None:
            numbers = [self._random.gauss() for _ in range(vector.dimensions)]
            return [round(number / hypot(*numbers), 6) for number in numbers]
        if origin is tuple and inner and inner[-1] is not ...:
            return tuple(self.typed(name, kind) for kind in inner)
        least = max(1, limit(limits, "min_length") or 0)
        most = min(limit(limits, "max_length") or _ELEMENTS, max(least, _ELEMENTS))
        element = inner[0] if inner else str
        singular = re.sub(r"(?<=[^s])s$", "", name)
        count, elements = self._random.randint(least, max(least, most)), []
        for _ in range(20 * count):
            made = self.typed(singular, element)
            if made not in elements:
                elements.append(made)
            if len(elements) == count:
                break
        return origin(elements)

    def _text(self, name: str, annotation: Any, limits: Sequence[Any]) -> Any:
        """The first text that the field accepts: by its name, by its pattern, or any word."""
        accepts = TypeAdapter(Annotated[annotation, *limits] if limits else annotation)
        last: ValidationError | None = None
        for text in self._candidates(name, limits):
            try:
                accepts.validate_python(text)
            except ValidationError as error:
                last = error
            else:
                return text
        assert last is not None
        raise last

    def _candidates(self, name: str, limits: Sequence[Any]) -> list[str]:
        pattern, least, most = (limit(limits, bound) for bound in ("pattern", "min_length", "max_length"))
        by_name = self.identifier(name) if is_identifier(name) else None
        by_name = by_name or self.texts.by_name(name) or self.texts.word()
        long = by_name.ljust(least, "a") if least and not pattern else by_name
        matching = [matching_text(pattern, self._random) for _ in range(3)] if pattern else []
        short = [text[:most].rstrip() for text in (long, *matching)] if most else []
        return [long, self.texts.word(), *matching, *short, self.texts.word()[:3]]

    def identifier(self, name: str) -> str:
        """An id without a default: as another service makes it, or a ULID."""
        if name.startswith("stripe_"):
            return self.texts.external_id(name)
        return seeded_ulid(self._random, self.times.created)

    def like_default(self, factory: Callable[[], Any]) -> Any:
        """A value in the form of those that a default factory makes."""
        return like_factory(factory, self._random, self.times.created)


def is_identifier(name: str) -> bool:
    """Whether a field contains an id.

    >>> is_identifier("user_id"), is_identifier("id"), is_identifier("paid")
    (True, True, False)
    """
    return name == "id" or name.endswith("_id")


def ordered(values: dict[str, Any]) -> dict[str, Any]:
    """The values with `start` before `end`, and `low` before `high`."""
    for one, other in (("start", "end"), ("low", "high"), ("min", "max")):
        for name in [name for name in values if re.search(f"(^|_){one}(_|$)", name)]:
            partner = re.sub(f"(^|_){one}(_|$)", rf"\g<1>{other}\g<2>", name)
            first, second = values[name], values.get(partner)
            if type(first) is type(second) and _is_greater(first, second):
                values[name], values[partner] = second, first
    return values


def _is_greater(first: Any, second: Any) -> bool:
    """Whether a value is greater than another; values without an order, such as models and None, are not."""
    try:
        return bool(first > second)
    except TypeError:
        return False


def _examples(annotation: Any) -> Sequence[Any]:
    """The examples inside `Annotated`."""
    if get_origin(annotation) is Annotated:
        for marker in annotation.__metadata__:
            if isinstance(marker, FieldInfo) and marker.examples:
                return marker.examples
    return ()


def _flat(limits: Sequence[Any]) -> list[Any]:
    return [
        part for marker in limits for part in (marker.metadata if isinstance(marker, FieldInfo) else [marker])
    ]
