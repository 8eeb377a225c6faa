"""Markers for fields, for use in `Annotated`: unique, secret, counter, version, TTL, vector. Defaults: times and ids.

email: Annotated[str, fields.Unique()]
token: Annotated[str, fields.Encrypted(context=("account_id",))]
expires_at: Annotated[int, fields.Ttl(after=timedelta(days=90), of="created_at")]
created_at: fields.Timestamp = fields.now()
"""

import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field as dataclass_field
from datetime import UTC, datetime, timedelta
from math import isfinite
from struct import error as StructError
from struct import pack
from typing import Any

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.keys.templates import Template
from tablewright.dynamodb.limits import MAX_DIMENSIONS
from tablewright.errors import DesignError


@dataclass(frozen=True, slots=True)
class Unique:
    """No two entities have the same value: a lock item is written in the same transaction.

    `within` names fields that limit the scope: `Unique(within=("account_id",))` is unique in each account.
    `normalise` is applied to the value before comparing; the field itself is stored as given.

    A table that exists may have lock items already. `key` are their key templates, `type` is their type, `attributes`
    are templates of their other attributes, by their stored names:

        email: Annotated[str, fields.Unique(
            key=("EMAIL#{email:fold}", "UNIQUE#USER"), type="EmailUnique", attributes={"userId": "{user_id}"}
        )]

    Such a lock has no other attributes but the expiry of its entity. Key and attributes together contain the fields of
    the entity's primary key, so that the owner of a lock is known.
    """

    within: tuple[str, ...] = ()
    normalise: Callable[[str], str] | None = None
    key: str | tuple[str, ...] | None = None
    type: str | None = None
    attributes: Mapping[str, str] = dataclass_field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.key is None and (self.type is not None or self.attributes):
            raise DesignError(
                'Unique(type=..., attributes=...) needs a key: Unique(key=("EMAIL#{email}", "UNIQUE"), ...)'
            )
        if self.key is not None and (self.within or self.normalise):
            raise DesignError(
                "Unique(key=...) takes neither within nor normalise: write the fields into the key, such as "
                'key=("ACCOUNT#{account_id}", "EMAIL#{email:fold}")'
            )

    @property
    def templates(self) -> tuple[Template, ...]:
        """The key templates of the lock, if the design chooses them; otherwise empty."""
        texts = (self.key,) if isinstance(self.key, str) else self.key or ()
        return tuple(map(Template, texts))

    @property
    def scope(self) -> tuple[str, ...]:
        """The fields that the lock's key is made of besides the field itself, which may be among them."""
        return self.within or tuple(name for template in self.templates for name in template.names)

    @property
    def sources(self) -> tuple[str, ...]:
        """The fields that the lock is made of besides the field itself, which may be among them."""
        carried = (name for text in self.attributes.values() for name in Template(text).names)
        return (*self.scope, *carried)


@dataclass(frozen=True, slots=True)
class Encrypted:
    """Stored as ciphertext that decrypts only in this entity, with its key and the fields of `context`."""

    context: tuple[str, ...] = ()


class Digest(str):
    """The hash that a loaded entity has instead of the value; written back unchanged, while other text is hashed."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Hashed:
    """Stored as a keyed hash: it can be looked up by its value, but never read; a loaded entity has a `Digest`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Accept a digest without the validation of the field."""
        return core_schema.no_info_wrap_validator_function(
            lambda value, validate: value if isinstance(value, Digest) else validate(value), handler(source)
        )


@dataclass(frozen=True, slots=True)
class Ttl:
    """The expiry in epoch seconds: set when the entity is written, to the field `of` plus `after`.

    Milliseconds are rejected: a value after the year 5138 raises `InvalidWrite`.
    """

    after: timedelta | None = None
    of: str | None = None

    def __post_init__(self) -> None:
        if (self.after is None) != (self.of is None):
            raise DesignError(
                'Ttl needs both after and of, or neither: Ttl(after=timedelta(days=30), of="created_at")'
            )
        if self.after is not None and self.after <= timedelta(0):
            raise DesignError(f"Ttl(after={self.after}) expires items at once; give a positive duration")


@dataclass(frozen=True, slots=True)
class Counter:
    """Changed only by adding to it, so that concurrent writers do not overwrite each other."""


@dataclass(frozen=True, slots=True)
class Version:
    """An optimistic lock: a write succeeds only if the stored version is the one that was read, and increments it."""


@dataclass(frozen=True, slots=True)
class References:
    """The field contains the key of another entity: `owner_id: Annotated[str, fields.References(User)]`.

    `target` is the class, or its name if it is defined later. A list or a set contains many references. If the key of
    the target is made of several fields, the field is the one that no other field of the class has the name of:

        class Comment(Entity, table=main, type="COMMENT"):
            board_id: str
            task_id: Annotated[str, fields.References(Task)]    # the key of Task is made of board_id and task_id

    `field` names the field of the target, if it is another one: `fields.References(User, field="email")` is followed by
    the lock of the unique email. `within` names the other fields of the target, each with the field of this class that
    has its value, if their names differ: `fields.References(Task, within={"board_id": "home_board_id"})`.

    A reference is not checked when it is written. `tablewright check` reports a target that cannot be found from it,
    `tablewright fsck` targets that do not exist.
    """

    target: type[Any] | str
    within: Mapping[str, str] = dataclass_field(default_factory=dict, hash=False, kw_only=True)
    field: str | None = dataclass_field(default=None, kw_only=True)

    @property
    def target_name(self) -> str:
        """The name of the class."""
        return self.target if isinstance(self.target, str) else self.target.__name__


@dataclass(frozen=True, slots=True)
class OwnedBy(References):
    """A reference to the owner of the entity: `db.delete_with_owned(owner)` deletes what is owned by it too.

    startup_id: Annotated[str, fields.OwnedBy(Startup)]

    A key of the class must list the entities of an owner: its partition key is made of the fields of the reference.
    """


@dataclass(frozen=True, slots=True)
class Cardinality:
    """The number of values of the field at a time. It is known for enums, literals and dates."""

    values: int


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector of so many numbers, such as the embedding of a text: `Annotated[list[float], fields.Vector(384)]`.

    It is stored as a list of numbers, each of which fits a 32-bit float. A vector of another size is rejected by every
    write. An array with a method `tolist`, such as those of numpy, is accepted as a list.
    """

    dimensions: int

    def __post_init__(self) -> None:
        if type(self.dimensions) is not int or not 1 <= self.dimensions <= MAX_DIMENSIONS:
            raise DesignError(f"Vector({self.dimensions!r}): a vector has 1 to {MAX_DIMENSIONS} dimensions")

    @property
    def max_length(self) -> int:
        """The most elements of the list, as pydantic's limits name it."""
        return self.dimensions

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate the list, then its size and its numbers."""
        return core_schema.no_info_wrap_validator_function(self._validated, handler(source))

    def _validated(self, value: Any, validate: Callable[[Any], Any]) -> Any:
        numbers = validate(value.tolist() if hasattr(value, "tolist") else value)
        if numbers is not None and (problem := self.problem(numbers)):
            raise PydanticCustomError("vector", problem)
        return numbers

    def problem(self, numbers: Sequence[float]) -> str | None:
        """Why a list of numbers is no such vector; None if it is one.

        >>> Vector(3).problem([0.1, 0.2])
        'must have 3 numbers, got 2'
        """
        if len(numbers) != self.dimensions:
            return f"must have {self.dimensions} numbers, got {len(numbers)}"
        try:
            pack(f"<{len(numbers)}f", *numbers)
        except (OverflowError, StructError):
            return "must have numbers that fit a 32-bit float"
        return None if isfinite(sum(numbers)) else "must have finite numbers"


MARKERS = (Unique, Encrypted, Hashed, Ttl, Counter, Version, References, Cardinality, Vector)


def now() -> Any:
    """A default: the time of creation, by the clock of the database."""
    return Field(default_factory=_now, json_schema_extra={"automatic": "created"})


def touched() -> Any:
    """A default: the time of the last write, by the clock of the database."""
    return Field(default_factory=_now, json_schema_extra={"automatic": "touched"})


def new_id() -> Any:
    """A default: a new ULID. Later ids sort later; within one millisecond, only if the same process creates them."""
    return Field(default_factory=ulid)


_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]


def ulid(time_: float | None = None) -> str:
    """A ULID: 48 bits of time and 80 random bits, in 26 characters that sort by time.

    >>> len(ulid()), ulid(0.0)[:10], ulid(1.0) < ulid(2.0), ulid(3.0) < ulid(3.0)
    (26, '0000000000', True, True)
    """
    milliseconds = time.time_ns() // 1_000_000 if time_ is None else round(time_ * 1000)
    number = _SEQUENCE.next(milliseconds)
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in range(120, -10, -10)])


class _Sequence:
    """Numbers for ULIDs: within one millisecond they increase by random amounts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self, milliseconds: int) -> int:
        """A number that begins with this millisecond, greater than the last one of the same millisecond."""
        number = (milliseconds << 80) | secrets.randbits(79)
        with self._lock:
            if self._last >> 80 == milliseconds:
                number = self._last + 1 + secrets.randbits(48)
            self._last = number
        return number


_SEQUENCE = _Sequence()


def _now() -> datetime:
    time_ = datetime.now(UTC)
    return time_.replace(microsecond=time_.microsecond // 1000 * 1000)
