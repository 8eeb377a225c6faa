"""Changes of entities with computed keys, and of items that an older version or another program wrote."""

from typing import Any

import pytest
from pydantic import BaseModel, Field

from tablewright import Design, Entity, Get, Index, Keys, Query, Table, connect, fields
from tablewright.lifecycle.integrity.fsck import check

main = Table("lots", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


class OldLot(Entity, table=main, type="LOT"):
    lot_id: str
    parts: str = ""
    keys = Keys(primary=("LOT#{lot_id}", "LOT"))


def _split(item: dict[str, Any]) -> dict[str, Any]:
    return {
        **item,
        "parts": [part for part in item.get("parts", "").split(",") if part],
        "notes": {"old": "x"},
    }


class Lot(Entity, table=main, type="LOT", schema_version=2, upcasts={1: _split}):
    lot_id: str
    parts: list[str] = Field(default_factory=list)
    notes: dict[str, str] = Field(default_factory=dict)

    @fields.computed("parts")
    def size(self) -> str | None:
        return "large" if len(self.parts) > 2 else None

    keys = Keys(primary=("LOT#{lot_id}", "LOT"), GSI1=("SIZE#{size}", "{lot_id}"))


class LotById(Get[Lot]):
    lot_id: str


class LargeLots(Query[Lot]):
    key = "GSI1PK = SIZE#large"


design = Design("lots", entities=[Lot], patterns=[LotById, LargeLots])


def test_a_computed_key_follows_an_append_and_a_removed_element() -> None:
    with connect(design) as db:
        lot = db.create(Lot(lot_id="1", parts=["a", "b"]))
        assert not db.all(LargeLots())
        lot = db.update(lot, fields.of(Lot.parts).append("c"))
        assert db.all(LargeLots()) == [lot]
        lot = db.update(lot, fields.of(Lot.parts[0]).remove())
        assert lot.parts == ["b", "c"]
        assert not db.all(LargeLots())
        assert not check(db).findings


def test_an_older_item_is_upcast_with_the_change() -> None:
    with connect(Design("old", entities=[OldLot])) as old:
        old.create(OldLot(lot_id="1", parts="a,b"))
        db = connect(design, old.connection, create=False)
        lot = db.update(
            LotById(lot_id="1"),
            fields.of(Lot.parts).append("c"),
            fields.of(Lot.notes["old"]).set_if_absent("y"),
            fields.of(Lot.notes["new"]).set_if_absent("z"),
        )
        assert (lot.parts, lot.notes) == (["a", "b", "c"], {"old": "x", "new": "z"})
        assert db.all(LargeLots()) == [lot] == [db.run(LotById(lot_id="1"))]
        assert not check(db).findings


class Shelf(BaseModel):
    level: int = 1
    labels: set[str] = Field(default_factory=set)
    boxes: list["Shelf"] = Field(default_factory=list)


class Rack(Entity, table=main, type="RACK"):
    rack_id: str
    shelf: Shelf = Field(default_factory=Shelf)
    shelves: dict[str, Shelf] = Field(default_factory=dict)

    @fields.computed("shelf", "shelves")
    def size(self) -> str:
        return str(len(self.shelves))

    keys = Keys(primary=("RACK#{rack_id}", "RACK"), GSI1=("RACKS#{size}", "{rack_id}"))


rack: Any = Rack


@pytest.mark.parametrize(
    "changes",
    [
        [rack.shelf.level.set(2)],
        [rack.shelf.level.raise_to(5), rack.shelves["a"].labels.add("x")],
        [rack.shelf.labels.add("x"), rack.shelves["b"].set(Shelf())],
        [rack.shelf.boxes.append(Shelf()), rack.shelves["c"].remove()],
        [rack.shelf.boxes[0].level.add(1)],
        [rack.shelves["a"].level.lower_to(0)],
    ],
    ids=str,
)
def test_attributes_of_another_program_inside_of_maps_are_kept(changes: Any) -> None:
    """They are not in the models, so that writing the whole field would lose them."""
    color = {"color": {"S": "red"}}
    boxes = {"L": [{"M": {"level": {"N": "3"}, **color}}]}
    item = {
        "PK": {"S": "RACK#1"},
        "SK": {"S": "RACK"},
        "type": {"S": "RACK"},
        "rackId": {"S": "1"},
        "shelf": {"M": {"level": {"N": "1"}, "boxes": boxes, **color}},
        "shelves": {"M": {"a": {"M": color}}},
    }
    with connect(Design("racks", entities=[Rack])) as db:
        db.connection.call("PutItem", {"TableName": "lots", "Item": item})
        key = {name: item[name] for name in main.key}
        target: Any = Rack(rack_id="1")
        changed = db.update(target, *changes)
        stored = db.connection.call("GetItem", {"TableName": "lots", "Key": key})["Item"]
        assert stored["shelf"]["M"]["color"] == {"S": "red"}
        assert stored["shelf"]["M"]["boxes"]["L"][0]["M"]["color"] == {"S": "red"}
        assert stored["shelves"]["M"]["a"]["M"]["color"] == {"S": "red"}
        assert stored["GSI1PK"] == {"S": f"RACKS#{changed.size}"}
        assert not check(db).findings
