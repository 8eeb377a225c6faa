"""The tables (F15), and types of fields that several entities or requests share."""

import re
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any

from pydantic import AfterValidator, Field, PlainSerializer

from tablewright import Index, Table, fields
from tablewright_systems.service import Line
from tablewright_systems.service import Prose as AnyProse
from tablewright_systems.service.schemas import EPOCH_AS_TIME


class Visibility(Enum):
    """Whether other users can find it."""

    PRIVATE = "private"
    PUBLIC = "public"


core = Table(
    "gg_core",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),  # what a user owns, by kind and time
        Index("GSI2", "GSI2PK", "GSI2SK"),  # exact lookups: nicknames
        Index("GSI3", "GSI3PK", "GSI3SK"),  # exact lookups: e-mail addresses
        Index("GSI4", "GSI4PK", "GSI4SK"),  # A11, open tasks by the day they are due
        Index("GSI5", "GSI5PK", "GSI5SK"),  # A12, what may be discovered, by tag
        Index("GSI6", "GSI6PK", "GSI6SK"),  # A13, what belongs to a company
    ],
    ttl="ttl",
    stream="NEW_AND_OLD_IMAGES",
)

login_attempts = Table("goalsguild_login_attempts", key=("PK", "SK"), ttl="ttl")


def _tag(text: str) -> str:
    tag = fields.fold(text)
    if not re.fullmatch(r"[\w-]{1,30}", tag):
        raise ValueError("a tag has 1 to 30 letters, digits, hyphens and underscores")
    return tag


def _folded_once(tags: list[str]) -> list[str]:
    return list(dict.fromkeys(map(fields.fold, tags)))


def to_json_numbers(value: Any) -> Any:
    """Return a value with JSON numbers in place of decimals, also in maps and lists.

    >>> to_json_numbers({"hours": [Decimal("2.5"), Decimal(3)]})
    {'hours': [2.5, 3]}
    """
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case dict():
            return {name: to_json_numbers(part) for name, part in value.items()}
        case list():
            return [to_json_numbers(element) for element in value]
        case _:
            return value


Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:|@-]{1,128}$")]
"""ID of a user: a ULID, a UUID, or an ID of an identity provider, without the key separator `#`."""

StoredTags = Annotated[list[str], Field(max_length=90), AfterValidator(_folded_once)]
"""Tags of an item, also of one that another program wrote: normalised and distinct. Each tag has its own item."""

Number = Annotated[Decimal, PlainSerializer(to_json_numbers, return_type=float, when_used="json")]
"""A decimal number; a number in JSON."""

Title = Annotated[Line, Field(min_length=1, max_length=200)]
Prose = Annotated[AnyProse, Field(min_length=1, max_length=4_000)]
Tags = Annotated[
    list[Annotated[str, AfterValidator(_tag)]], Field(max_length=10), AfterValidator(_folded_once)
]
"""Title, text and tags that a client sends. Entities accept more, because the document sets no limits."""

Ttl = Annotated[int | None, fields.Ttl(), *EPOCH_AS_TIME]
"""Expiry of an item in epoch seconds; None is never."""
