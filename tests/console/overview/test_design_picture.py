"""The picture of a design: every entity, copy and lock has a row, with a cell for each index."""

from typing import Annotated, Any

import pytest
from tablewright_systems.registry import SYSTEMS

from tablewright import Copy, Design, Entity, Index, Keys, Sparse, Table, connect, fields
from tablewright.console.open_designs import OpenDesign
from tablewright.console.overview.design_picture import design_picture
from tests.console.sample_console import open_system

main = Table(
    "gallery",
    ("PK", "SK"),
    [Index("GSI1", "GSI1PK", "GSI1SK"), Index("by-artist", "artist", projection="KEYS_ONLY")],
)


class Painting(Entity, table=main, type="PAINTING"):
    painting_id: str
    artist: str
    room: str
    inventory: Annotated[str, fields.Unique()]
    is_shown: bool = True
    keys = Keys(
        primary=("ROOM#{room}", "PAINTING#{painting_id}"),
        GSI1=Sparse("SHOWN", "{painting_id}", when="is_shown"),
        indexes={"by-artist": "{artist}"},
    )
    by_id = Copy(primary=("PAINTING#{painting_id}", "COPY"), type="PAINTING_COPY")


class Room(Entity, table=main, type="ROOM"):
    name: str
    keys = Keys(primary=("ROOM#{name}", "META"))


design = Design("gallery", entities=[Painting, Room])


def _picture() -> dict[str, Any]:
    with connect(design) as db:
        (found,) = design_picture(OpenDesign(db, "Gallery", "memory", "gallery:design"))
    return found


def test_entities_with_the_same_form_of_partition_key_share_a_collection() -> None:
    collections = _picture()["collections"]
    assert [(each["entity"], each["sort"]) for each in collections[0]["rows"]] == [
        ("Room", "META"),
        ("Painting", "PAINTING#{painting_id}"),
    ]


def test_copies_and_locks_have_rows() -> None:
    rows = [row for each in _picture()["collections"] for row in each["rows"]]
    found = {(row["role"], row["name"]): row["partition"] for row in rows if row["entity"] == "Painting"}
    assert found == {
        ("entity", None): "ROOM#{room}",
        ("copy", "by_id"): "PAINTING#{painting_id}",
        ("lock", "inventory"): "_lock#PAINTING#inventory#{inventory}",
    }


def test_locks_of_several_fields_are_one_collection_named_by_their_form() -> None:
    opened = open_system("listbackup", samples=0)
    with opened.db:
        (users,) = [each for each in design_picture(opened) if each["table"].endswith("-users")]
    locks = users["collections"][-1]
    assert locks["partition"] == "_lock#{entity}#{field}#{value}"
    assert [row["name"] for row in locks["rows"]] == ["email", "username"]


def test_a_cell_has_the_key_in_the_index_and_its_condition() -> None:
    rows = _picture()["collections"][0]["rows"]
    room, painting = rows
    assert room["cells"] == {"GSI1": None, "by-artist": None}
    assert painting["cells"]["GSI1"] == {
        "partition": ["SHOWN"],
        "sort": ["{painting_id}"],
        "condition": "is_shown is true",
    }
    assert painting["cells"]["by-artist"]["condition"] == ""


def test_an_index_tells_its_projection_and_whether_it_is_sparse() -> None:
    first, second = _picture()["indexes"]
    assert (first["projection"], first["sparse"], first["rows"]) == ("all attributes", True, 1)
    assert second["projection"] == "keys"


@pytest.mark.parametrize("name", [system.name for system in SYSTEMS])
def test_every_entity_of_every_system_is_in_the_picture(name: str) -> None:
    opened = open_system(name, samples=0)
    try:
        tables = design_picture(opened)
    finally:
        opened.close()
    rows = [row for table in tables for each in table["collections"] for row in each["rows"]]
    assert {row["entity"] for row in rows} == {each.__name__ for each in opened.design.entities}
    patterns = [each["name"] for table in tables for each in table["patterns"]]
    assert sorted(patterns) == sorted(each.__name__ for each in opened.design.patterns)
