"""Layouts: what they say about fields, keys, copies and attributes; and the models that have a layout."""

import copy
import pickle
from typing import Annotated

import pytest
from pydantic import Field, ValidationError

from tablewright import Copy, Entity, Index, Keys, Sparse, Table, fields
from tablewright.design.layouts.layouts import FieldLayout, StoredModel, check_upcasts
from tablewright.errors import DesignError

main = Table(
    "main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK"), Index("by-name", "name"), Index("none", "x")]
)


class User(Entity, table=main, type="USER"):
    user_id: str
    name: str
    is_open: bool = False
    tags: list[str] = Field(default_factory=list)
    token: Annotated[str | None, fields.Encrypted()] = None
    email: Annotated[str, fields.Unique()] = "a@example.org"
    keys = Keys(primary=("USER#{user_id}", "USER"), GSI1=Sparse("OPEN#{name}", when="is_open"))
    tagged = Copy(each="tags", name="tag", primary=("TAG#{tag}", "USER#{user_id}"))


class Log(Entity, table=Table("logs", key="id")):
    id: str


def test_fields_are_found_by_stored_name_and_marker() -> None:
    layout = User.layout
    found = layout.field_stored_as("userId")
    assert found is not None
    assert found.name == "user_id"
    assert layout.field_stored_as("user_id") is None
    assert [field.name for field, _ in layout.marked(fields.Unique)] == ["email"]
    assert layout.marked(fields.Counter) == []
    assert layout.secrets == {"token"}


def test_a_key_is_found_by_its_index() -> None:
    layout = User.layout
    keys = [layout.key_for(index) for index in (None, *main.indexes)]
    assert [key.names if key else None for key in keys] == [
        ("user_id",),
        ("name", "is_open"),
        ("name",),
        None,
    ]


def test_permanent_attributes_are_fields_primary_key_and_type() -> None:
    assert {"PK", "SK", "type", "userId", "name"} <= User.layout.permanent_attributes
    assert "GSI1PK" not in User.layout.permanent_attributes
    assert Log.layout.permanent_attributes == {"id"}


def test_the_keys_of_a_copy_begin_with_its_primary_key() -> None:
    (tagged,) = User.layout.copies
    assert tagged.keys[0] is tagged.primary
    assert tagged.primary.names == ("tag", "user_id")


def test_hashed_and_encrypted_fields_are_secret() -> None:
    for marker, expected in ((fields.Encrypted(), True), (fields.Hashed(), True), (fields.Counter(), False)):
        assert FieldLayout("f", "f", str, False, (marker,)).is_secret == expected


def test_unknown_attributes_are_kept_in_copies_and_pickles() -> None:
    user = User(user_id="1", name="Ada")
    assert user.unknown_attributes == {}
    user.unknown_attributes = {"legacy": 1}
    for other in (user.changed(name="Eve"), copy.deepcopy(user), pickle.loads(pickle.dumps(user))):
        assert other.unknown_attributes == {"legacy": 1}


def test_a_partial_entity_stays_partial_when_changed() -> None:
    user = User(user_id="1", name="Ada")
    assert not user.is_partial
    user.mark_partial()
    assert user.changed(name="Eve").is_partial


def test_changed_validates_and_keeps_what_was_set() -> None:
    user = User(user_id="1", name="Ada").changed(is_open=True)
    assert user.model_fields_set == {"user_id", "name", "is_open"}
    with pytest.raises(ValidationError, match="name"):
        user.changed(name=3)


def test_an_entity_is_a_stored_model_with_a_layout() -> None:
    assert issubclass(User, StoredModel)
    assert User.layout.entity is User


@pytest.mark.parametrize(
    ("version", "start", "message"),
    [
        (None, 1, "Profile has upcasts, but no schema version; add schema_version=2"),
        (2, 2, "Profile has schema_version=2 and an upcast from version 2"),
        (2, 0, "an upcast starts from version 1 or later"),
    ],
)
def test_invalid_upcasts_are_rejected(version: int | None, start: int, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        check_upcasts("Profile", version, {start: dict})


def test_an_upcast_from_every_older_version_is_accepted() -> None:
    check_upcasts("Profile", 3, {1: dict, 2: dict})
    check_upcasts("Profile", None, {})
