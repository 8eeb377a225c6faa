"""The items that an entity stores."""

from typing import Annotated, Literal

import pytest
from pydantic import Field

from tablewright.access.items.decoding import Decoder
from tablewright.access.items.footprint import footprint, is_dependent, stored_owner_key
from tablewright.access.items.unique_locks import is_lock
from tablewright.access.items.vault import NoVault
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Copy, Keys, Sparse
from tablewright.design.layouts.layouts import KEPT, OWNER
from tablewright.design.tables import Table
from tablewright.errors import DesignError, InvalidWrite, KeyValueError, SecretError
from tests.access.studio import Artist, Room, main

ADA = Artist(studio="s", artist_id="1", email="Ada@x", nickname="ada", city="Oslo", friends=["f", "g", "f"])


def test_a_missing_field_has_no_index_key() -> None:
    item = footprint(Room(room_id="1"), NoVault()).main
    assert not {"GSI1PK", "GSI1SK", "owner"} & item.keys()
    assert "GSI1PK" in footprint(Room(room_id="1", owner="me"), NoVault()).main


def test_a_sparse_index_key_needs_its_condition() -> None:
    assert "GSI2PK" not in footprint(ADA, NoVault()).main
    assert footprint(ADA.changed(is_open=True), NoVault()).main["GSI2PK"] == {"S": "OPEN#s"}


def test_dependents_have_the_key_of_their_owner() -> None:
    left = footprint(ADA, NoVault())
    assert not is_dependent(left.main)
    assert [dependent.item[OWNER] for dependent in left.dependents.values()] == [{"M": left.key}] * 5


def test_equal_elements_make_one_copy() -> None:
    copies = [
        s.item["PK"]["S"] for s in footprint(ADA, NoVault()).dependents.values() if s.copy == "befriended"
    ]
    assert copies == ["FRIEND#f", "FRIEND#g"]


def test_a_copy_has_only_its_own_index_keys() -> None:
    copy = next(s for s in footprint(ADA, NoVault()).dependents.values() if s.copy == "befriended")
    assert "city" not in copy.item, "or the copy would be found by city too"
    assert copy.item[KEPT] == {"M": {"city": {"S": "Oslo"}}}
    read = Decoder(Artist.layout, NoVault()).make(copy.item)
    assert read == ADA
    assert footprint(read, NoVault()).main == footprint(ADA, NoVault()).main


def test_a_lock_has_no_fields() -> None:
    locks = [s.item for s in footprint(ADA, NoVault()).dependents.values() if s.field is not None]
    assert [item["PK"]["S"] for item in locks] == [
        "_lock#ARTIST#email#ada@x",
        "_lock#ARTIST#nickname#s#Oslo#ada",
    ]
    for item in locks:
        assert is_lock(main, item)
        assert not set(main.key_attributes) - {"PK", "SK"} & item.keys()


def test_a_lock_has_no_index_key() -> None:
    typed = Table("typed", key="id", indexes=[Index("by-type", "type")])

    class Pet(Entity, table=typed, type="PET"):
        id: str
        name: Annotated[str, markers.Unique()]

    (lock,) = footprint(Pet(id="1", name="Rex"), NoVault()).dependents.values()
    assert lock.item.keys() == {"id", OWNER}


def test_a_value_with_the_delimiter_is_rejected() -> None:
    with pytest.raises(KeyValueError, match="Artist: studio = 's#t' contains '#'"):
        footprint(Artist(studio="s", artist_id="1", friends=["f"]).changed(studio="s#t"), NoVault())


def test_two_items_under_one_key_are_rejected() -> None:
    class Pet(Entity, table=main, type="PET"):
        pet_id: str
        homes: list[str]
        keys = Keys(primary=("PET#{pet_id}", "PET"))
        here = Copy(each="homes", name="home", primary=("PET#{pet_id}", "{home}"))

    with pytest.raises(InvalidWrite, match="Pet has two items under one key"):
        footprint(Pet(pet_id="1", homes=["PET"]), NoVault())


def test_secret_fields_need_a_vault() -> None:
    class Account(Entity, table=main, type="ACCOUNT"):
        account_id: str
        token: Annotated[str, markers.Hashed(), markers.Unique()]
        keys = Keys(primary=("ACCOUNT#{account_id}", "ACCOUNT"))

    with pytest.raises(SecretError, match="token"):
        footprint(Account(account_id="1", token="t"), NoVault())


def test_a_field_that_is_an_index_key_cannot_be_sparse() -> None:
    with pytest.raises(DesignError, match="but its attribute city is the field city, which is always stored"):

        class Pet(Entity, table=main, type="PET"):
            pet_id: str
            city: str | None = None
            is_tame: bool = False
            keys = Keys(
                primary=("PET#{pet_id}", "PET"), indexes={"by-city": Sparse("{city}", when="is_tame")}
            )


@pytest.mark.parametrize("stored", ["type", "schemaVersion", "_of", "_kept"])
def test_a_field_cannot_use_a_reserved_attribute(stored: str) -> None:
    with pytest.raises(DesignError, match=f"stores the field note as {stored}"):

        class Pet(Entity, table=main, type="PET", schema_version=1):
            pet_id: str
            note: Annotated[str, Field(alias=stored)]
            keys = Keys(primary=("PET#{pet_id}", "PET"))


def test_a_literal_field_can_be_the_discriminator() -> None:
    class Pet(Entity, table=main, type="PET"):
        pet_id: str
        type: Literal["PET"] = "PET"
        keys = Keys(primary=("PET#{pet_id}", "PET"))

    assert footprint(Pet(pet_id="1"), NoVault()).main["type"] == {"S": "PET"}


@pytest.mark.parametrize("owner", [{"S": "x"}, {"M": {}}, {"M": {"PK": {"L": []}, "SK": {"S": "b"}}}])
def test_an_owner_that_is_no_key_is_none(owner: dict[str, object]) -> None:
    assert stored_owner_key(main, {OWNER: owner}) is None
    assert stored_owner_key(main, {}) is None
    key = {"PK": {"S": "a"}, "SK": {"S": "b"}}
    assert stored_owner_key(main, {OWNER: {"M": key}}) == key
