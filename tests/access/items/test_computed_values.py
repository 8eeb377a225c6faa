"""The values that keys are made of: fields, and computed fields in keys."""

import pytest

from tablewright import Entity, Index, Keys, Table, fields
from tablewright.access.items.footprint import entity_values
from tablewright.errors import DesignError, KeyValueError

main = Table("main", key="id", indexes=[Index("by-initial", "initial")])


class Word(Entity, table=main):
    id: str
    text: str = ""

    @fields.computed("text")
    def initial(self) -> str:
        return self.text[0]

    @fields.computed("text")
    def unused(self) -> str:
        raise AssertionError("it is in no key")

    keys = Keys(indexes={"by-initial": "{initial}"})


class Plain(Entity, table=main):
    id: str


def test_computed_fields_in_keys_are_among_the_values() -> None:
    assert entity_values(Word(id="1", text="ada")) == {"id": "1", "text": "ada", "initial": "a"}


def test_an_entity_without_computed_fields_is_not_copied() -> None:
    plain = Plain(id="1")
    assert entity_values(plain) is plain.__dict__


def test_an_error_names_the_field() -> None:
    with pytest.raises(
        KeyValueError, match="initial cannot be computed: IndexError: string index out of range"
    ):
        entity_values(Word(id="1"))


def test_a_wrong_declaration_is_reported_as_such() -> None:
    class Wrong(Entity, table=main):
        id: str
        text: str = ""

        @fields.computed("text")
        def initial(self) -> str:
            return self.id

        keys = Keys(indexes={"by-initial": "{initial}"})

    with pytest.raises(DesignError, match=r"Wrong.initial uses id"):
        entity_values(Wrong(id="1"))
