"""What a field can be besides its type: unique, secret, counted, expiring. Markers, to be put into `Annotated`.

email: Annotated[str, fields.Unique()]
token: Annotated[str, fields.Encrypted(context=("account_id",))]
expires_at: Annotated[int, fields.Ttl(after=timedelta(days=90), of="created_at")]
created_at: fields.Timestamp = fields.now()
"""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from tablewright.errors import DesignError


@dataclass(frozen=True, slots=True)
class Unique:
    """No two entities share this value: a lock item is written in the same transaction.

    `within` names fields whose values bound the claim: `Unique(within=("account_id",))` is unique in each account.
    `normalise` makes equal what should count as equal; the field itself keeps what was given.
    """

    within: tuple[str, ...] = ()
    normalise: Callable[[str], str] | None = None


@dataclass(frozen=True, slots=True)
class Encrypted:
    """Stored as ciphertext, bound to the entity, its key and the fields of `context`; decrypts nowhere else."""

    context: tuple[str, ...] = ()


class Digest(str):
    """What a loaded entity holds in the place of a hashed value; written back as it is, while other text is hashed."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Hashed:
    """Stored as a keyed hash: it can be looked up by its value, and never read back; a loaded entity has a `Digest`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Whatever the field's type demands of a value, it cannot demand of a digest."""
        return core_schema.no_info_wrap_validator_function(
            lambda value, validate: value if isinstance(value, Digest) else validate(value), handler(source)
        )


@dataclass(frozen=True, slots=True)
class Ttl:
    """The expiry, in epoch seconds: set when the entity is written, `after` so long from the field `of`."""

    after: timedelta | None = None
    of: str | None = None

    def __post_init__(self) -> None:
        if (self.after is None) != (self.of is None):
            raise DesignError('Ttl takes both or neither: Ttl(after=timedelta(days=30), of="created_at")')
        if self.after is not None and self.after <= timedelta(0):
            raise DesignError(f"Ttl(after={self.after}) expires at birth; give a positive span")


@dataclass(frozen=True, slots=True)
class Counter:
    """Changed only by adding to it, so that no two writers overwrite each other."""


@dataclass(frozen=True, slots=True)
class Version:
    """An optimistic lock: a write succeeds only on the version that was read, and leaves the next one."""


@dataclass(frozen=True, slots=True)
class Cardinality:
    """How many values the field takes at a time. Enums, literals and dates tell it themselves."""

    values: int


@dataclass(frozen=True, slots=True)
class Automatic:
    """A moment that the library sets: when the entity is created, or (`touched`) at every write."""

    touched: bool


def now() -> Any:
    """A default: the moment of creation, by the database's clock."""
    return Field(default_factory=_now, json_schema_extra={"automatic": "created"})


def touched() -> Any:
    """A default: the moment of the last write, by the database's clock."""
    return Field(default_factory=_now, json_schema_extra={"automatic": "touched"})


def new_id() -> Any:
    """A default: a fresh ULID. Ids made later sort later; those of one millisecond only if one process made them."""
    return Field(default_factory=ulid)


_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def ulid(moment: float | None = None) -> str:
    """A ULID: 48 bits of time and 80 random bits, in 26 characters that sort by time.

    >>> len(ulid()), ulid(0.0)[:10], ulid(1.0) < ulid(2.0), ulid(3.0) < ulid(3.0)
    (26, '0000000000', True, True)
    """
    milliseconds = time.time_ns() // 1_000_000 if moment is None else round(moment * 1000)
    number = _SEQUENCE.next(milliseconds)
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -5, -5))


class _Sequence:
    """Numbers for ULIDs: those of one millisecond grow, by steps that nobody can foresee."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self, milliseconds: int) -> int:
        """A number that begins with this millisecond; greater than the last, if that did too."""
        number = (milliseconds << 80) | secrets.randbits(79)
        with self._lock:
            if self._last >> 80 == milliseconds:
                number = self._last + 1 + secrets.randbits(48)
            self._last = number
        return number


_SEQUENCE = _Sequence()


def _now() -> datetime:
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
