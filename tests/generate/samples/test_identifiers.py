"""Identifiers of samples have the form of the real ones."""

import random
import re
from datetime import UTC, datetime
from uuid import UUID, uuid4

from tablewright.design.fields.markers import ulid
from tablewright.generate.samples.identifiers import like_factory, seeded_ulid

NOW = datetime(2026, 3, 18, tzinfo=UTC)


def test_a_ulid_begins_with_its_time() -> None:
    made = seeded_ulid(random.Random(1), NOW)
    assert made[:10] == ulid(NOW.timestamp())[:10]
    assert made == seeded_ulid(random.Random(1), NOW)
    assert re.fullmatch("[0-9A-HJKMNP-TV-Z]{26}", made)


def test_ids_follow_the_default_factory() -> None:
    source = random.Random(1)
    assert UUID(like_factory(lambda: str(uuid4()), source, NOW)).version == 4
    assert isinstance(like_factory(uuid4, source, NOW), UUID)
    assert like_factory(ulid, source, NOW)[:10] == ulid(NOW.timestamp())[:10]
    assert re.fullmatch(
        "usr_[0-9a-f]{8}", like_factory(lambda: f"usr_{random.getrandbits(32):08x}", source, NOW)
    )
    assert like_factory(lambda: "fixed", source, NOW) == "fixed"
