"""Markers for fields, for use in `Annotated`, and the defaults, rates and types for entities.

email: Annotated[str, fields.Unique()]
token: Annotated[str, fields.Encrypted(context=("account_id",))]
expires_at: Annotated[int, fields.Ttl(after=timedelta(days=90), of="created_at")]
created_at: fields.Timestamp = fields.now()
"""

from tablewright.design.fields.computed_fields import computed
from tablewright.design.fields.entity_attributes import Attribute, of, parameter, present
from tablewright.design.fields.markers import (
    Cardinality,
    Counter,
    Digest,
    Encrypted,
    Hashed,
    OwnedBy,
    References,
    Ttl,
    Unique,
    Vector,
    Version,
    new_id,
    now,
    touched,
    ulid,
)
from tablewright.design.fields.rates import Expect, PerDay, PerMonth, PerSecond
from tablewright.design.keys.text_formats import fold
from tablewright.design.keys.timestamps import Timestamp

__all__ = [
    "Attribute",
    "Cardinality",
    "Counter",
    "Digest",
    "Encrypted",
    "Expect",
    "Hashed",
    "OwnedBy",
    "PerDay",
    "PerMonth",
    "PerSecond",
    "References",
    "Timestamp",
    "Ttl",
    "Unique",
    "Vector",
    "Version",
    "computed",
    "fold",
    "new_id",
    "now",
    "of",
    "parameter",
    "present",
    "touched",
    "ulid",
]
