"""Item entities: an item belongs to an entity by its type, or by its key."""

from typing import Annotated

import pytest

from tablewright import Copy, Design, Entity, Keys, Table, fields
from tablewright.access.context import Context
from tablewright.access.items.item_values import has_key_format
from tablewright.errors import SecretError
from tablewright.lifecycle.traversal.item_entities import is_main_item, layouts_for, require_keys

main = Table("main", key=("PK", "SK"))


class Album(Entity, table=main, type="ALBUM"):
    album_id: str
    artist: str
    keys = Keys(primary=("ALBUM#{album_id}", "ALBUM"))
    by_artist = Copy(primary=("ARTIST#{artist}", "ALBUM#{album_id}"))


class Play(Entity, table=main):
    album_id: str
    number: str
    keys = Keys(primary=("ALBUM#{album_id}", "PLAY#{number}"))


class Secret(Entity, table=main, type="SECRET"):
    secret_id: str
    text: Annotated[str, fields.Encrypted()]
    keys = Keys(primary=("SECRET#{secret_id}", "SECRET"))


DESIGN = Design("music", entities=[Album, Play, Secret])


def item(partition: str, sort: str, **more: str) -> dict[str, dict[str, str]]:
    return {name: {"S": value} for name, value in {"PK": partition, "SK": sort, **more}.items()}


def test_a_type_names_the_entity() -> None:
    assert layouts_for(DESIGN, main, item("anything", "x", type="ALBUM")) == [Album.layout]


def test_an_item_without_type_belongs_by_its_key() -> None:
    assert layouts_for(DESIGN, main, item("ALBUM#1", "PLAY#7")) == [Play.layout]
    assert layouts_for(DESIGN, main, item("ALBUM#1", "OTHER")) == []


def test_an_unknown_type_falls_back_to_the_key() -> None:
    assert layouts_for(DESIGN, main, item("ALBUM#1", "PLAY#7", type="OTHER")) == [Play.layout]


def test_a_copy_is_not_a_main_item() -> None:
    main_item = item("ALBUM#1", "ALBUM", type="ALBUM")
    assert is_main_item(DESIGN, Album.layout, main_item)
    assert not is_main_item(DESIGN, Play.layout, main_item)
    assert not is_main_item(DESIGN, Album.layout, main_item | {"_of": {"S": "ALBUM#1"}})


def test_a_key_matches_the_templates() -> None:
    assert has_key_format(Album.layout, item("ALBUM#1", "ALBUM"))
    assert not has_key_format(Album.layout, item("ARTIST#1", "ALBUM"))


def test_secrets_need_keys() -> None:
    require_keys(Context(), Album.layout)
    with pytest.raises(SecretError, match=r"Secret has secret fields \(text\)"):
        require_keys(Context(), Secret.layout)
