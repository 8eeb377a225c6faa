"""Sample data: items of the entities of a design, from a seeded random generator.

The entities are written to an in-memory database and read back, so that keys, copies and locks are real.
"""

import json
import random
import types
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from tablewright.access.connect import connect
from tablewright.access.repository import Repository
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.tables.tables import Table
from tablewright.engine.state.clock import Clock
from tablewright.errors import TablewrightError, UsageError
from tablewright.generate.regex_samples import matching_text
from tablewright.values.attributes import Item

ATTEMPTS = 20
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = (
    "amber birch cedar delta ember fjord grove heron iris juniper kestrel larch maple north opal pine".split()
)


def samples(design: Design, count: int = 10, seed: int = 1, environment: str = "dev") -> str:
    """`count` entities of each class, as DynamoDB JSON by table."""
    with connect(design, environment=environment, clock=Clock(BEGIN)) as db:
        fill(db, count, seed)
        found = {db.context.table_name(table): list(_items(db, table)) for table in design.tables}
    return json.dumps(found, indent=2, default=_plain) + "\n"


def fill(db: Repository, count: int, seed: int = 1) -> None:
    """Write `count` entities of each class to a database."""
    generator = SampleGenerator(random.Random(seed))
    for entity in db.design.entities:
        for _ in range(count):
            _put(db, generator, entity)


def _put(db: Repository, generator: "SampleGenerator", entity: type[Entity]) -> None:
    """Write one entity; retry with other values if its own validators reject it."""
    for attempt in range(ATTEMPTS):
        try:
            db.put(generator.make(entity))
            return
        except (ValidationError, TablewrightError) as error:
            if attempt == ATTEMPTS - 1:
                raise UsageError(f"cannot generate a sample of {entity.__name__}: {_first(error)}") from None


def _first(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error).splitlines()[0]


def _items(db: Repository, table: Table) -> Iterator[Item]:
    request: dict[str, Any] = {"TableName": db.context.table_name(table)}
    while True:
        reply = db.connection.call("Scan", request)
        yield from reply["Items"]
        if "LastEvaluatedKey" not in reply:
            return
        request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]


def _plain(value: Any) -> str:
    from base64 import b64encode

    return b64encode(value).decode()


class SampleGenerator:
    """Generates values of any type that a field may have."""

    def __init__(self, source: random.Random) -> None:
        self._random = source
        self._plain: dict[Any, Callable[[], Any]] = {
            str: self._word,
            int: lambda: source.randint(1, 500),
            float: lambda: round(source.uniform(1, 500), 2),
            Decimal: lambda: Decimal(source.randint(100, 50_000)) / 100,
            bool: lambda: source.random() < 0.5,
            bytes: lambda: source.randbytes(8),
            datetime: self._time,
            date: lambda: self._time().date(),
            UUID: lambda: UUID(int=source.getrandbits(128), version=4),
        }

    def make(self, model: type[BaseModel]) -> Any:
        """A model with random values; about half of the fields with the default None keep it."""
        values = {
            name: self._field(name, info)
            for name, info in model.model_fields.items()
            if self._is_generated(info)
        }
        return model(**values)

    def _is_generated(self, info: FieldInfo) -> bool:
        """Whether a field gets a random value. Ids do, because their defaults differ; times come from the clock."""
        is_id = info.default_factory is not None and info.annotation is str
        return info.is_required() or is_id or (info.default is None and self._random.random() < 0.5)

    def _field(self, name: str, info: FieldInfo) -> Any:
        value = self._limited(info.annotation, info.metadata)
        if (
            type(value) is not str
            or _limit(info.metadata, "pattern")
            or get_origin(info.annotation) is Literal
        ):
            return value
        if "mail" in name:
            return f"{value}@example.org"
        return f"{self._random.getrandbits(48):012x}" if name.endswith("id") else value

    def _limited(self, annotation: Any, limits: Sequence[Any]) -> Any:
        """A value of a type, within its limits."""
        if pattern := _limit(limits, "pattern"):
            return matching_text(pattern, self._random)
        value = self.value(annotation)
        if isinstance(value, str) and not isinstance(value, Enum):
            return value[: _limit(limits, "max_length")].ljust(_limit(limits, "min_length") or 0, "a")
        if isinstance(value, int | Decimal) and not isinstance(value, bool | Enum):
            return self._bounded(value, limits)
        return value

    def _bounded(self, value: int | Decimal, limits: Sequence[Any]) -> int | Decimal:
        for name, step in (("ge", 0), ("gt", 1)):
            if (least := _limit(limits, name)) is not None and value < least + step:
                value = type(value)(least + step)
        for name, step in (("le", 0), ("lt", -1)):
            if (most := _limit(limits, name)) is not None and value > most + step:
                value = type(value)(most + step)
        return value

    def value(self, annotation: Any) -> Any:
        """A value of a type."""
        origin, inner = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self._limited(inner[0], _flat(inner[1:]))
        if origin is Literal:
            return self._random.choice(inner)
        if origin in (Union, types.UnionType):
            return self.value(self._random.choice([each for each in inner if each is not type(None)]))
        if origin is dict:
            return {self.value(inner[0]): self.value(inner[1])}
        if origin in (list, set, frozenset, tuple):
            return origin([self.value(inner[0]) for _ in range(self._random.randint(1, 3))])
        if isinstance(annotation, type) and issubclass(annotation, Enum):
            return self._random.choice(list(annotation))
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return self.make(annotation)
        return self._plain.get(annotation, self._word)()

    def _word(self) -> str:
        return f"{self._random.choice(WORDS)}-{self._random.randint(1, 999_999)}"

    def _time(self) -> datetime:
        return BEGIN + timedelta(milliseconds=self._random.randint(0, 10**10))


def _limit(limits: Sequence[Any], name: str) -> Any:
    """The value of one limit of a field: `pattern`, `ge`, `max_length` and so on; None if it is not set."""
    for each in limits:
        if (found := getattr(each, name, None)) is not None:
            return found
    return None


def _flat(limits: Sequence[Any]) -> list[Any]:
    return [part for each in limits for part in (each.metadata if isinstance(each, FieldInfo) else [each])]
