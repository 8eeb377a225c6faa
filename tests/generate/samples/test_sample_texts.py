"""Texts of samples follow the names of their fields."""

import random
import re
from datetime import UTC, datetime
from itertools import islice
from uuid import UUID, uuid4

import pytest

from tablewright.design.fields.markers import ulid
from tablewright.generate.samples.sample_texts import (
    Person,
    Texts,
    like_factory,
    matching_text,
    people,
    seeded_ulid,
)
from tablewright.generate.samples.sample_words import CITIES, COUNTRIES


def test_people_have_different_names() -> None:
    found = list(islice(people(random.Random(1)), 2_000))
    assert len({person.user_name for person in found}) == 2_000


@pytest.mark.parametrize(
    ("subject", "field", "text"),
    [
        ("user", "name", "Ada Kim"),
        ("user", "first_name", "Ada"),
        ("user", "display_email", "ada.kim@example.com"),
        ("startup", "name", "Northwind Labs"),
        ("user_profile", "university_name", "Northwind Labs"),
        ("room", "name", "Reading circle"),
        ("user", "user_name", "ada.kim"),
    ],
)
def test_names_depend_on_the_entity(subject: str, field: str, text: str) -> None:
    assert Texts(random.Random(1), subject, Person("Ada", "Kim"), 0).by_name(field) == text


def test_places_belong_together() -> None:
    texts = Texts(random.Random(3), "user", Person("Ada", "Kim"), 0)
    country, city = texts.by_name("country"), texts.by_name("city")
    assert country is not None
    assert city == CITIES[COUNTRIES.index(country)]


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


@pytest.mark.parametrize(
    "pattern",
    ["^[a-z-]+\\.[a-z-]+$", "^[A-Z]{3}$", "^(ab|cd)?\\d{2,4}$", "^[^#]+$", "x{3}", "\\w+\\s.", "[^a]"],
)
def test_texts_match_the_pattern(pattern: str) -> None:
    source = random.Random(3)
    texts = [matching_text(pattern, source) for _ in range(50)]
    if pattern != "[^a]":  # a negated class is any letter
        assert all(re.fullmatch(pattern.strip("^$"), text) for text in texts)
    assert len(set(texts)) > 1 or pattern == "x{3}"
