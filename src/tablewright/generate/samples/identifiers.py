"""Identifiers of sample data: ULIDs, UUIDs, and ids in the form that the designer's own function makes.

They are made from the seed and from the time of creation, so the same seed makes the same ids.
"""

import random
import re
import string
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from tablewright.design.fields.markers import ulid

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_EXAMPLES = 12
_CLASSES = (
    string.digits,
    string.digits + "abcdef",
    string.digits + "ABCDEF",
    string.ascii_lowercase,
    string.ascii_uppercase,
    string.digits + string.ascii_lowercase,
    string.digits + string.ascii_uppercase,
)


def seeded_ulid(source: random.Random, time: datetime) -> str:
    """A ULID of a time.

    >>> from datetime import UTC
    >>> seeded_ulid(random.Random(1), datetime(2026, 1, 1, tzinfo=UTC))[:10]
    '01KDVDNA00'
    """
    number = (round(time.timestamp() * 1000) << 80) | source.getrandbits(80)
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -5, -5))


def seeded_uuid(source: random.Random) -> UUID:
    """A UUID, version 4."""
    return UUID(int=source.getrandbits(128), version=4)


def like_factory(factory: Callable[[], Any], source: random.Random, time: datetime) -> Any:
    """A value in the form of those that a default factory makes; its own value if they have no common form.

    >>> like_factory(lambda: f"ord_{random.randint(1000, 9999)}", random.Random(1), datetime(2026, 1, 1))[:4]
    'ord_'
    """
    if factory is ulid:
        return seeded_ulid(source, time)
    texts = [factory() for _ in range(_EXAMPLES)]
    if not all(isinstance(text, str) for text in texts):
        return seeded_uuid(source) if isinstance(texts[0], UUID) else texts[0]
    if all(map(_ULID.fullmatch, texts)):
        return seeded_ulid(source, time)
    if all(map(_UUID.fullmatch, texts)):
        return str(seeded_uuid(source))
    if len(set(map(len, texts))) > 1 or len(set(texts)) == 1:
        return texts[0]
    return "".join(_similar(set(letters), source) for letters in zip(*texts, strict=True))


def _similar(letters: set[str], source: random.Random) -> str:
    """A letter of the smallest class that contains all letters of one position; the letter itself if it is constant."""
    if len(letters) == 1:
        return letters.pop()
    known = next((each for each in _CLASSES if letters <= set(each)), "".join(sorted(letters)))
    return source.choice(known)
