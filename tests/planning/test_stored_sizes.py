"""Stored sizes: the items of an entity and the size of their index rows."""

from typing import Annotated

import pytest

from tablewright import Copy, Entity, Index, Keys, Table, fields
from tablewright.planning.stored_sizes import estimated_item_size, stored_items
from tablewright.planning.workloads import EntityUse

main = Table(
    "main",
    key=("PK", "SK"),
    indexes=[
        Index("all", "allKey"),
        Index("keys", "keysKey", projection="KEYS_ONLY"),
        Index("some", "x", projection=["bio"]),
    ],
)


class Person(Entity, table=main, type="PERSON"):
    person_id: str
    email: Annotated[str, fields.Unique()]
    bio: str
    friends: list[str]
    keys = Keys(primary=("PERSON#{person_id}", "PERSON"), all="A", keys="K", some="S")
    listed = Copy(primary=("PEOPLE", "PERSON#{person_id}"), fields=("bio",))
    friend = Copy(each="friends", name="one", primary=("FRIEND#{one}", "PERSON#{person_id}"))


def test_an_entity_has_a_main_item_copies_and_locks() -> None:
    items = stored_items(Person.layout, EntityUse(size=5_000, copies={"friend": 3}))
    assert [(one.kind, one.name, one.count) for one in items] == [
        ("item", "Person", 1.0),
        ("copy", "Person.listed", 1.0),
        ("copy", "Person.friend", 3),
        ("lock", "lock of Person.email", 1.0),
    ]
    main_item, listed, friend, lock = items
    assert main_item.size == 5_000
    assert friend.size > 5_000 > listed.size > lock.size


def test_index_rows_have_the_projected_attributes() -> None:
    (main_item, *_) = stored_items(Person.layout, EntityUse())
    assert main_item.size == estimated_item_size(Person.layout)
    whole, keys, some = (main_item.row_size(index) for index in main.indexes)
    assert main_item.row_size(None) == whole > some > keys


@pytest.mark.parametrize("size", [20, 100_000])
def test_a_row_is_never_larger_than_the_item(size: int) -> None:
    (main_item, *_) = stored_items(Person.layout, EntityUse(size=size))
    assert all(main_item.row_size(index) <= size for index in main.indexes)
