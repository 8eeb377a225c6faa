"""The tables (003:5-14, 96), their key prefixes, and field types that several entities share."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from tablewright import Index, Table, fields

core = Table(
    "gg_core",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),  # what a user owns, by kind and time
        Index("GSI2", "GSI2PK", "GSI2SK"),  # exact lookups: nicknames
        Index("GSI3", "GSI3PK", "GSI3SK"),  # exact lookups: e-mail addresses
        Index("GSI4", "GSI4PK", "GSI4SK"),  # 003:100, open tasks by the day they are due
        Index("GSI5", "GSI5PK", "GSI5SK"),  # 003:101, what may be discovered, by tag
        Index("GSI6", "GSI6PK", "GSI6SK"),  # 003:102, what belongs to a company
    ],
    ttl="ttl",
    stream="NEW_AND_OLD_IMAGES",
)

login_attempts = Table("goalsguild_login_attempts", key=("PK", "SK"), ttl="ttl")


def _tag(given: str) -> str:
    tag = fields.fold(given)
    if not re.fullmatch(r"[\w-]{1,30}", tag):
        raise ValueError("a tag has 1 to 30 letters, digits, hyphens and underscores")
    return tag


def _once_each(tags: list[str]) -> list[str]:
    return list(dict.fromkeys(tags))


Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:|@-]{1,128}$")]
"""ID of a user: a ULID, a UUID, or an ID of an identity provider, without the key separator `#`."""

Title = Annotated[str, Field(min_length=1, max_length=200)]
Prose = Annotated[str, Field(min_length=1, max_length=4_000)]
Tags = Annotated[list[Annotated[str, AfterValidator(_tag)]], Field(max_length=10), AfterValidator(_once_each)]
"""Normalised and distinct: each tag has its own item (see `Goal.tagged`)."""

Ttl = Annotated[int | None, fields.Ttl()]
"""Expiry of an item in epoch seconds; None is never."""
