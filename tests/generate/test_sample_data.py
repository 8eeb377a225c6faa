"""Samples: real items of every entity, the same for the same seed."""

import json
import random
import re

import pytest

from tablewright.generate.regex_samples import matching_text
from tablewright.generate.sample_data import samples
from tablewright_systems.registry import SYSTEMS, System


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_there_are_items_of_every_entity(system: System) -> None:
    made = samples(system.design, count=2, seed=5)
    found = json.loads(made)
    for table in system.design.tables:
        items = found[table.physical_name("dev")]
        types = {item.get(table.discriminator, {}).get("S") for item in items}
        wanted = {entity.layout.type_name for entity in system.design.entities_of(table)}
        assert wanted <= types or (items and wanted == {None})
    if system.design.key_table is None:  # what is sealed is never the same twice
        assert made == samples(system.design, count=2, seed=5)


@pytest.mark.parametrize(
    "pattern", ["^[a-z-]+\\.[a-z-]+$", "^[A-Z]{3}$", "^(ab|cd)?\\d{2,4}$", "^[^#]+$", "x{3}"]
)
def test_texts_are_as_the_pattern_says(pattern: str) -> None:
    chance = random.Random(3)
    assert all(re.fullmatch(pattern.strip("^$"), matching_text(pattern, chance)) for _ in range(50))
