"""Field values of sample data: a value of any type that a field may have, within its limits."""

import random
import re
import types
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from tablewright.generate.samples.identifiers import like_factory, seeded_ulid, seeded_uuid
from tablewright.generate.samples.regex_samples import matching_text
from tablewright.generate.samples.sample_numbers import limit, sample_number
from tablewright.generate.samples.sample_texts import Texts
from tablewright.generate.samples.sample_times import Times

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
            members = [each for each in inner if each is not type(None)]
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
        """Elements of a list, a set or a tuple: at least one, each once."""
        if origin is tuple and inner and inner[-1] is not ...:
            return tuple(self.typed(name, each) for each in inner)
        least = max(1, limit(limits, "min_length") or 0)
        most = min(limit(limits, "max_length") or _ELEMENTS, max(least, _ELEMENTS))
        element = inner[0] if inner else str
        singular = re.sub(r"(?<=[^s])s$", "", name)
        count, found = self._random.randint(least, max(least, most)), []
        for _ in range(20 * count):
            made = self.typed(singular, element)
            if made not in found:
                found.append(made)
            if len(found) == count:
                break
        return origin(found)

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
        pattern, least, most = (limit(limits, each) for each in ("pattern", "min_length", "max_length"))
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
        for each in annotation.__metadata__:
            if isinstance(each, FieldInfo) and each.examples:
                return each.examples
    return ()


def _flat(limits: Sequence[Any]) -> list[Any]:
    return [part for each in limits for part in (each.metadata if isinstance(each, FieldInfo) else [each])]
