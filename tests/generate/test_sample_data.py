"""Sample data: items of every entity, the same for the same seed."""

import json
import random
from decimal import Decimal
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, field_validator

from tablewright import Design, Entity, Keys, Table
from tablewright.errors import UsageError
from tablewright.generate.sample_data import SampleGenerator, samples
from tablewright_systems.registry import SYSTEMS, System


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_there_are_items_of_every_entity(system: System) -> None:
    made = samples(system.design, count=2, seed=5)
    found = json.loads(made)
    for table in system.design.tables:
        items = found[table.physical_name("dev")]
        types = {item.get(table.discriminator, {}).get("S") for item in items}
        expected = {entity.layout.type_name for entity in system.design.entities_of(table)}
        assert expected <= types or (items and expected == {None})
    if system.design.key_table is None:  # ciphertexts are never the same twice
        assert made == samples(system.design, count=2, seed=5)


class Limited(BaseModel):
    code: Annotated[str, Field(pattern="^[A-Z]{3}$")]
    short: Annotated[str, Field(max_length=4)]
    long: Annotated[str, Field(min_length=40)]
    age: Annotated[int, Field(ge=600, lt=700)]
    price: Annotated[Decimal, Field(gt=0, le=1)]
    kind: Literal["a", "b"]
    email: str
    user_id: str
    tags: list[str] | None = None


def test_values_respect_the_limits_of_fields() -> None:
    generator = SampleGenerator(random.Random(1))
    made = [generator.make(Limited) for _ in range(50)]
    assert all(one.email.endswith("@example.org") and len(one.user_id) == 12 for one in made)
    assert {one.tags is None for one in made} == {True, False}


class Picky(Entity, table=Table("picky", key="PK")):
    name: str
    keys = Keys(primary="P#{name}")

    @field_validator("name")
    @classmethod
    def _never(cls, value: str) -> str:
        raise ValueError("no name is good enough")


def test_an_entity_that_rejects_every_value_is_named() -> None:
    with pytest.raises(
        UsageError, match=r"cannot generate a sample of Picky: name: .* no name is good enough"
    ):
        samples(Design("picky", entities=[Picky]), count=1)
