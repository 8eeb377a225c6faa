"""Texts of samples follow the names of their fields."""

import random
from itertools import islice

import pytest

from tablewright.generate.samples.sample_texts import Person, Texts, people
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
