"""Error messages name the entity, the field, and what to do."""

from typing import Annotated, Any

import pytest

from tablewright import Design, Entity, Get, Index, Keys, Query, Table, connect, errors, fields, writes
from tablewright.access.writes.values import Target

HALF = "half \ud800"

main = Table(
    "refusals", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK"), Index("by-mail", "mail")]
)


class Room(Entity, table=main, type="ROOM"):
    house: str
    room_id: str
    mail: str | None = None
    note: str = ""
    tags: frozenset[str] = frozenset()
    keys = Keys(primary=("HOUSE#{house}", "ROOM#{room_id}"), GSI1=("NOTE#{note}", "{house}#{room_id}"))


class RoomById(Get[Room]):
    house: str
    room_id: str


class RoomsNoted(Query[Room]):
    note: str
    word: str
    key = "GSI1PK = NOTE#{note}"
    filter = "mail <> {word}"


class Stray(Entity, table=Table("strays", key="id")):
    id: str


class StrayById(Get[Stray]):
    id: str


class Guest(Entity, table=main, type="GUEST"):
    guest_id: str
    secret: Annotated[str, fields.Encrypted()]
    keys = Keys(primary=("GUEST#{guest_id}", "GUEST"))


design = Design("refusals", entities=[Room], patterns=[RoomById, RoomsNoted])


@pytest.fixture
def db() -> Any:
    with connect(design) as opened:
        yield opened


@pytest.mark.parametrize(
    "use",
    [
        lambda db: db.put(Stray(id="1")),
        lambda db: db.create(Stray(id="1")),
        lambda db: db.delete(StrayById(id="1")),
        lambda db: db.batch([writes.Put(Stray(id="1"))]),
        lambda db: db.batch([writes.Delete(Stray(id="1"))]),
        lambda db: db.run(StrayById(id="1")),
    ],
)
def test_errors_name_an_entity_of_another_table(db: Any, use: Any) -> None:
    with pytest.raises(
        errors.UsageError, match=r"Stray is stored in the table strays.* add it to Design\(.*Stray\]\)"
    ):
        use(db)


def test_errors_name_a_secret_entity_outside_the_design(db: Any) -> None:
    with pytest.raises(
        errors.UsageError, match=r"Guest is not part of the design .* add it to Design\(.*Guest\]\)"
    ):
        db.create(Guest(guest_id="1", secret="s"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"house": "x" * 2043, "room_id": "1"}, "Room: house makes the key PK 2049 bytes long.* allows 2048"),
        (
            {"house": "h", "room_id": "é" * 512},
            "Room: room_id makes the key SK 1029 bytes long.* allows 1024",
        ),
        (
            {"house": "h", "room_id": "1", "note": "x" * 2044},
            "Room: note makes the key GSI1PK 2049 bytes long",
        ),
        ({"house": HALF, "room_id": "1"}, "Room.house: an unpaired surrogate"),
        ({"house": "", "room_id": "1"}, "Room: house is empty"),
        ({"house": "h", "room_id": "1", "note": HALF}, "Room.note: an unpaired surrogate"),
        ({"house": "h", "room_id": "1", "tags": {HALF}}, "Room.tags: an unpaired surrogate"),
    ],
)
@pytest.mark.parametrize("write", ["create", "put"])
def test_errors_name_the_field_that_cannot_be_stored(db: Any, write: str, values: Any, message: str) -> None:
    with pytest.raises((errors.KeyValueError, errors.ValueNotStorable), match=message):
        getattr(db, write)(Room.model_construct(**values))


def test_a_key_of_the_maximum_length_is_stored(db: Any) -> None:
    room = db.create(Room(house="x" * 1019, room_id="1" * 4, note="é" * 1021))
    assert db.run(RoomById(house=room.house, room_id="1111")) == room


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (RoomById(house="x" * 3000, room_id="1"), "RoomById: house makes the key PK 3006 bytes long"),
        (RoomById.model_construct(house="h", room_id=HALF), "RoomById: room_id has an unpaired"),
        (RoomsNoted(note="x" * 3000, word="w"), "RoomsNoted: note makes the key GSI1PK"),
        (RoomsNoted.model_construct(note="n", word=HALF), "RoomsNoted.word: an unpaired surrogate"),
    ],
)
def test_errors_name_the_parameter_of_a_read(db: Any, pattern: Any, message: str) -> None:
    with pytest.raises((errors.KeyValueError, errors.ValueNotStorable), match=message):
        db.run(pattern)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (Room.tags == frozenset(), "Room.tags cannot equal an empty set.* use is_absent"),
        (Room.tags != set(), "Room.tags cannot equal an empty set"),
        (Room.note == HALF, "Room.note: an unpaired surrogate"),
    ],
)
def test_errors_name_the_field_of_a_condition(db: Any, condition: Any, message: str) -> None:
    room = Target(Room, {"house": "h", "room_id": "1"})
    with pytest.raises(errors.InvalidWrite, match=message):
        db.update(room, set={"note": "n"}, when=condition)
