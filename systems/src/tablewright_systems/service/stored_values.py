"""Stored values of other programs: readable as they are, so that their owner can correct them.

    class UserProfile(Entity, ...):
        study_level: Annotated[StudyLevel | None, *AS_STORED] = None
        created_at: StoredTime = fields.now()

What a client sends has a type of its own, and stays strict. A comparison with a valid value is False for any other.
"""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationError, WrapSerializer, WrapValidator

from tablewright import Entity, fields

_PLAIN = (str, bool, int, Decimal)


def _read(value: Any, validate: Callable[[Any], Any]) -> Any:
    try:
        return validate(value)
    except ValidationError:
        if isinstance(value, _PLAIN):
            return value
        raise


def _shown(value: Any, serialize: Callable[[Any], Any], mode: str) -> Any:
    if isinstance(value, Decimal) and mode == "json":
        return float(value)
    return value if type(value) in _PLAIN else serialize(value)


# A lambda has no return type, so that the schema is that of valid values.
AS_STORED = (
    WrapValidator(_read),
    WrapSerializer(lambda value, serialize, info: _shown(value, serialize, info.mode)),
)
"""Annotations of a field: a text, flag or number that is not valid is read and shown as it is stored."""


def _in_utc(value: Any) -> Any:
    """Return a time without a time zone as one in UTC; other values are unchanged."""
    if not isinstance(value, str) or value.endswith("Z"):
        return value
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        return value
    return value if time.tzinfo else f"{time.isoformat()}Z"


StoredTime = Annotated[fields.Timestamp, BeforeValidator(_in_utc)]
"""A timestamp that another program may have stored without its time zone, as a time or a day: it is one in UTC."""


class Timestamped(Entity):
    """Base of entities with the times of their creation and of their last write."""

    created_at: StoredTime = fields.now()
    updated_at: StoredTime = fields.touched()
