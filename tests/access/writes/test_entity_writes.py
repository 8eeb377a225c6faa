"""Every kind of write has its plan."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tablewright import Design, Entity, Get, Keys, Table, connect, errors, fields
from tablewright.access.writes.entity_writes import (
    create,
    delete,
    move,
    plan_absence_check,
    plan_check,
    plan_write,
    put,
    request,
    set_fields,
    transact,
    upsert,
)
from tablewright.access.writes.values import (
    Add,
    Check,
    CheckAbsent,
    Create,
    Delete,
    Move,
    Put,
    Target,
    Update,
    Upsert,
)
from tablewright.access.writes.write_plan import Planner
from tablewright.errors import AlreadyExists, ConditionNotMet, DoesNotExist, InvalidWrite, TransactionFailed
from tests.access import shop
from tests.access.concurrency import together
from tests.access.shop import Order, order
from tests.access.studio import START, Artist, ArtistById, Interrupted, Note, Room, RoomAt, Studio, left_by

ROOM = Target(Room, {"room_id": "1"})


@pytest.mark.parametrize(
    ("write", "kinds"),
    [
        (Create(Room(room_id="2")), ["Put"]),
        (Put(Note(note_id="1")), ["Put"]),
        (Update(ROOM, set={"seats": 2}), ["Update"]),
        (Add(ROOM, taken=1), ["Update"]),
        (Delete(ROOM), ["Delete"]),
        (Move(ROOM, {"room_id": "3"}), ["Delete", "Put"]),
        (Check(RoomAt(number="1")), ["ConditionCheck"]),
        (CheckAbsent(ROOM), ["ConditionCheck"]),
    ],
)
def test_the_actions_of_each_kind(store: Studio, write: Any, kinds: list[str]) -> None:
    store.run_sync(create(store.context, Room(room_id="1")))
    plan = store.run_sync(plan_write(store.context, write))
    assert [action.kind for action in plan.actions] == kinds
    assert plan.write is write


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (Create(ROOM), "Create takes an entity, not an instance of Target"),  # type: ignore[type-var]
        ("room", "'room' is not a write; use Create"),
        (Delete("room"), "'room' is not a target"),  # type: ignore[arg-type]
    ],
)
def test_other_values_are_rejected(store: Studio, write: Any, message: str) -> None:
    with pytest.raises(InvalidWrite, match=message):
        store.run_sync(plan_write(store.context, write))


def test_delete_returns_whether_the_entity_existed(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1")))
    store.run_sync(create(store.context, Artist(studio="s", artist_id="1", email="a@x", friends=["f"])))
    store.operations()
    assert store.run_sync(delete(store.context, Delete(RoomAt(number="1"))))
    assert store.operations() == ["DeleteItem"]
    assert store.run_sync(delete(store.context, Delete(ArtistById(studio="s", artist_id="1"))))
    assert store.operations() == ["GetItem", "TransactWriteItems"]
    assert store.table() == {}
    assert not store.run_sync(delete(store.context, Delete(RoomAt(number="1"))))
    assert not store.run_sync(delete(store.context, Delete(ArtistById(studio="s", artist_id="1"))))


def test_delete_with_a_condition(store: Studio) -> None:
    room = store.run_sync(create(store.context, Room(room_id="1", seats=4)))
    with pytest.raises(ConditionNotMet) as caught:
        store.run_sync(delete(store.context, Delete(room, when=Room.seats > 4)))
    assert (caught.value.entity, caught.value.key) == ("Room", {"room_id": "1"})
    assert caught.value.condition == (Room.seats > 4)
    with pytest.raises(DoesNotExist):
        store.run_sync(delete(store.context, Delete(Target(Room, {"room_id": "2"}), when=Room.seats > 0)))


def test_move_is_one_transaction(store: Studio) -> None:
    artist = Artist(studio="s", artist_id="1", email="a@x", nickname="n", friends=["f"], likes=4)
    store.run_sync(create(store.context, artist))
    store.operations()
    moved = store.run_sync(move(store.context, Move(ArtistById(studio="s", artist_id="1"), {"studio": "t"})))
    assert store.operations() == ["GetItem", "TransactWriteItems"]
    assert (moved.studio, moved.likes, moved.version) == ("t", 4, 2)
    assert store.table() == left_by(moved)


def test_invalid_moves_are_rejected(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    store.run_sync(create(store.context, Artist(studio="t", artist_id="1")))
    before = store.table()
    with pytest.raises(AlreadyExists, match=r"Artist\(studio='t', artist_id='1'\) already exists"):
        store.run_sync(move(store.context, Move(artist, {"studio": "t"})))
    with pytest.raises(InvalidWrite, match="move does not change the key of Artist"):
        store.run_sync(move(store.context, Move(artist, {"studio": "s"})))
    with pytest.raises(InvalidWrite, match="made of studio, artist_id; level was given"):
        store.run_sync(move(store.context, Move(artist, {"level": 3})))
    with pytest.raises(DoesNotExist):
        store.run_sync(move(store.context, Move(ArtistById(studio="x", artist_id="1"), {"studio": "y"})))
    assert store.table() == before


BY_ID = ArtistById(studio="s", artist_id="1")
ARTIST = Artist(studio="s", artist_id="1", email="a@x", city="Oslo", friends=["f"], likes=1)


class Full(Exception):
    pass


def test_it_creates_and_then_updates(store: Studio) -> None:
    made = store.run_sync(upsert(store.context, Upsert(ARTIST, set={"level": 5}, add={"likes": 1})))
    assert (made.level, made.likes, made.version) == (5, 1, 1)
    assert store.table() == left_by(made)
    store.clock.advance(timedelta(days=1))
    changed = store.run_sync(upsert(store.context, Upsert(ARTIST, set={"level": 6}, add={"likes": 1})))
    assert (changed.level, changed.likes, changed.version) == (6, 2, 2)
    assert changed.created_at == made.created_at
    assert changed.updated_at > made.updated_at
    assert store.table() == left_by(changed)


def test_without_an_update_it_sets_the_given_fields(store: Studio) -> None:
    made = store.run_sync(create(store.context, ARTIST.changed(level=3, nickname="Ed")))
    store.clock.advance(timedelta(days=1))
    given = Artist(studio="s", artist_id="1", email="b@x", city=None, friends=["g"], likes=9)
    changed = store.run_sync(upsert(store.context, Upsert(given)))
    kept = (changed.level, changed.nickname, changed.likes, changed.created_at)
    assert kept == (3, "Ed", made.likes, made.created_at)
    assert (changed.email, changed.city, changed.friends, changed.version) == ("b@x", None, ["g"], 2)
    assert store.table() == left_by(changed)


def test_an_entity_that_was_read_keeps_its_automatic_fields_automatic(store: Studio) -> None:
    read = store.run_sync(upsert(store.context, Upsert(ARTIST)))
    assert set(set_fields(read)) == {"email", "city", "friends"}
    store.clock.advance(timedelta(days=1))
    again = store.run_sync(upsert(store.context, Upsert(read)))
    assert again.expires_at == (read.expires_at or 0) + 86_400
    assert store.table() == left_by(again)


def test_unique_values_are_claimed_and_released(store: Studio) -> None:
    store.run_sync(upsert(store.context, Upsert(ARTIST)))
    eve = Artist(studio="s", artist_id="eve", email="A@x")
    with pytest.raises(errors.UniqueViolation):
        store.run_sync(upsert(store.context, Upsert(eve)))
    store.run_sync(create(store.context, eve.changed(email="e@x")))
    with pytest.raises(errors.UniqueViolation):
        store.run_sync(upsert(store.context, Upsert(eve)))
    store.run_sync(upsert(store.context, Upsert(ARTIST.changed(email="new@x"))))
    assert store.run_sync(upsert(store.context, Upsert(eve))).email == "A@x"


def test_an_expired_entity_is_created_again(store: Studio) -> None:
    old = store.run_sync(upsert(store.context, Upsert(ARTIST)))
    store.clock.advance(timedelta(days=31))
    new = store.run_sync(upsert(store.context, Upsert(ARTIST, add={"likes": 1})))
    assert (new.likes, new.version) == (1, 1)
    assert new.created_at > old.created_at
    assert store.table() == left_by(new)


def test_a_condition_holds_for_the_stored_entity_only(store: Studio) -> None:
    room = Room(room_id="1", taken=1)
    write = Upsert(room, add={"taken": 1}, when=Room.taken < 2, otherwise=Full)
    assert store.run_sync(upsert(store.context, write)).taken == 1
    assert store.run_sync(upsert(store.context, write)).taken == 2
    with pytest.raises(Full) as caught:
        store.run_sync(upsert(store.context, write))
    assert isinstance(caught.value.__cause__, errors.ConditionNotMet)


def test_an_upsert_that_cannot_change_anything_is_rejected(store: Studio) -> None:
    with pytest.raises(errors.InvalidWrite, match="upsert of Room changes nothing if the entity exists"):
        store.run_sync(upsert(store.context, Upsert(Room(room_id="1", taken=1))))
    with pytest.raises(errors.InvalidWrite, match="colour"):
        store.run_sync(upsert(store.context, Upsert(Room(room_id="1"), set={"colour": "red"})))
    assert store.operations() == []


def test_an_addition_to_a_field_that_a_new_entity_lacks_is_rejected(store: Studio) -> None:
    for write in (
        Upsert(Room(room_id="1"), add={"taken": 1}),
        Upsert(Room(room_id="1"), fields.of(Room.taken).add(1)),
    ):
        with pytest.raises(
            errors.InvalidWrite, match=r"upsert of Room adds to taken, .* Room\(\.\.\., taken=\.\.\.\)"
        ):
            store.run_sync(upsert(store.context, write))
    assert store.operations() == []


def test_a_field_that_is_set_and_not_given_is_set_in_a_new_entity() -> None:
    table = Table("visits", key="day")

    class Visits(Entity, table=table):
        day: str
        count: int = 0
        last_page: str | None = None
        opened: str | None = None
        keys = Keys(primary="{day}")

    class VisitsOn(Get[Visits]):
        day: str

    with connect(Design("visits", entities=[Visits], patterns=[VisitsOn])) as db:
        for page in ("home", "prices"):
            visits = Visits(day="2026-05-01", count=1, opened="first")
            after = db.upsert(visits, add={"count": 1}, set={"last_page": page, "opened": "again"})
            assert after == db.run(VisitsOn(day="2026-05-01"))
            assert after.last_page == page
            assert (after.count, after.opened) == ((1, "first") if page == "home" else (2, "again"))


def test_an_upsert_without_its_key_is_rejected() -> None:
    table = Table("posts", key="PK")

    class Post(Entity, table=table):
        id: str = fields.new_id()
        at: fields.Timestamp = fields.now()
        title: str = ""
        keys = Keys(primary="{at}#{id}")

    with connect(Design("posts", entities=[Post])) as db:
        for post, name in (
            (Post(title="a"), "at"),
            (Post(title="a", at=datetime(2026, 5, 1, tzinfo=UTC)), "id"),
        ):
            with pytest.raises(
                InvalidWrite, match=f"the upsert of Post has no {name}, and its default is new"
            ):
                db.upsert(post)
        stored = db.create(Post(title="a"))
        assert db.upsert(stored, set={"title": "b"}).id == stored.id
        post = db.upsert(Post(id="1", at=datetime(2026, 5, 1, tzinfo=UTC), title="a"))
        assert db.upsert(post.changed(title="b")).title == "b"


def test_an_item_of_another_type_is_not_overwritten(store: Studio) -> None:
    item = {"PK": {"S": "ROOM#1"}, "SK": {"S": "ROOM"}, "type": {"S": "OTHER"}}
    store.db.call("PutItem", {"TableName": "studio-test", "Item": item})
    with pytest.raises(errors.AlreadyExists, match="another type"):
        store.run_sync(upsert(store.context, Upsert(Room(room_id="1", name="n"))))


def test_it_is_part_of_a_transaction(store: Studio) -> None:
    for expected in (1, 2):
        store.run_sync(
            transact(
                store.context,
                Create(Note(note_id=str(expected))),
                Upsert(Room(room_id="1", taken=1), add={"taken": 1}, when=Room.taken < 2, otherwise=Full),
            )
        )
    with pytest.raises(Full):
        store.run_sync(
            transact(
                store.context,
                Create(Note(note_id="3")),
                Upsert(Room(room_id="1", taken=1), add={"taken": 1}, when=Room.taken < 2, otherwise=Full),
            )
        )
    notes = [Note(note_id="1"), Note(note_id="2")]
    assert store.table() == left_by(Room(room_id="1", taken=2), *notes)


@pytest.mark.parametrize("entity", [ARTIST, Room(room_id="1", taken=0)], ids=["dependents", "one item"])
def test_when_it_is_created_meanwhile_it_is_updated(store: Studio, entity: Any) -> None:
    write = "TransactWriteItems" if isinstance(entity, Artist) else "PutItem"
    race = Interrupted(store, write, lambda: store.run_sync(create(store.context, entity)))
    counter = "likes" if isinstance(entity, Artist) else "taken"
    found = race.run_sync(upsert(store.context, Upsert(entity, add={counter: 1})))
    assert race.operations[:3] == ["GetItem", write, "GetItem"]
    assert getattr(found, counter) == getattr(entity, counter) + 1
    assert store.table() == left_by(found)


def test_when_it_is_deleted_meanwhile_it_is_created(store: Studio) -> None:
    room = store.run_sync(create(store.context, Room(room_id="1", taken=7)))
    race = Interrupted(store, "UpdateItem", lambda: store.run_sync(delete(store.context, Delete(room))))
    found = race.run_sync(upsert(store.context, Upsert(Room(room_id="1", taken=1), add={"taken": 1})))
    assert race.operations == ["GetItem", "UpdateItem", "GetItem", "PutItem"]
    assert found.taken == 1
    assert store.table() == left_by(found)


def test_a_put_of_an_entity_deleted_meanwhile_creates_it(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1", seats=1)))
    room = Room(room_id="1", seats=2)
    race = Interrupted(store, "UpdateItem", lambda: store.run_sync(delete(store.context, Delete(room))))
    race.run_sync(put(store.context, room))
    assert race.operations == ["GetItem", "UpdateItem", "GetItem", "PutItem"]
    assert store.table() == left_by(room)


def test_a_delete_of_an_entity_deleted_meanwhile_returns_false(store: Studio) -> None:
    store.run_sync(create(store.context, ARTIST))

    def other() -> Callable[[], object]:
        return lambda: store.run_sync(delete(store.context, Delete(BY_ID)))

    race = Interrupted(store, "TransactWriteItems", other())
    assert race.run_sync(delete(store.context, Delete(BY_ID))) is False
    assert store.table() == {}
    store.run_sync(create(store.context, ARTIST))
    race = Interrupted(store, "TransactWriteItems", other())
    with pytest.raises(Full):
        race.run_sync(delete(store.context, Delete(BY_ID, otherwise=Full)))


def test_it_works_on_every_backend(db: Any) -> None:
    first = order("ada", 1, size=1)
    assert db.upsert(first, add={"size": 1}).size == 1
    assert db.upsert(first, add={"size": 1}).size == 2
    with pytest.raises(Full):
        db.upsert(first, add={"size": 1}, when=Order.size == 1, otherwise=Full)
    db.transact(Upsert(first, set={"size": 9}), Put(shop.Customer(customer_id="ada", email="e")))
    assert db.get_or_raise(shop.OrderById(customer_id="ada", order_id="001")).size == 9


def test_concurrent_upserts_create_once_and_update_otherwise(db: Any) -> None:
    first = order("ada", 1, size=1)
    found = together(db, 8, lambda repository: repository.upsert(first, add={"size": 1}))
    sizes = sorted(each.size for each in found)
    assert sizes == list(range(1, 9)), "one writer created the order, each other writer added to it"


CREATED = datetime.fromtimestamp(START, UTC)


def test_create_of_one_item_is_one_call(store: Studio) -> None:
    room = store.run_sync(create(store.context, Room(room_id="1", owner="me")))
    assert store.operations() == ["PutItem"]
    assert store.table() == left_by(room)


def test_create_of_several_items_is_one_transaction(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1", email="a@x")))
    assert store.operations() == ["TransactWriteItems"]
    assert store.table() == left_by(artist)


def test_create_fails_when_the_entity_exists(store: Studio) -> None:
    for entity in (Room(room_id="1"), Artist(studio="s", artist_id="1", email="a@x")):
        store.run_sync(create(store.context, entity))
        before = store.table()
        with pytest.raises(AlreadyExists, match="already exists"):
            store.run_sync(create(store.context, entity))
        assert store.table() == before


def test_create_sets_automatic_fields_by_the_clock(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    assert (artist.created_at, artist.updated_at, artist.version) == (CREATED, CREATED, 1)
    assert artist.expires_at == int(START) + 30 * 24 * 3600


def test_create_keeps_given_timestamps(store: Studio) -> None:
    born = CREATED - timedelta(days=3)
    artist = Artist(studio="s", artist_id="1", created_at=born, updated_at=born, expires_at=2_000_000_000)
    made = store.run_sync(create(store.context, artist))
    assert (made.created_at, made.updated_at, made.expires_at) == (born, born, 2_000_000_000)


def test_a_changed_entity_gets_automatic_fields_on_create(store: Studio) -> None:
    changed = Artist(studio="s", artist_id="1").changed(level=3)
    assert store.run_sync(create(store.context, changed)).created_at == CREATED


def test_an_expired_entity_can_be_created_again(store: Studio) -> None:
    entity = Artist(studio="s", artist_id="1", email="a@x", friends=["f"])
    store.run_sync(create(store.context, entity))
    store.clock.advance(timedelta(days=31))
    again = store.run_sync(create(store.context, entity))
    assert store.table() == left_by(again)


def test_an_expired_lock_does_not_block_a_create(store: Studio) -> None:
    store.run_sync(create(store.context, Artist(studio="s", artist_id="1", email="a@x")))
    store.clock.advance(timedelta(days=31))
    other = store.run_sync(create(store.context, Artist(studio="s", artist_id="2", email="a@x")))
    store.db.sweep()
    assert store.table() == left_by(other)


def test_put_of_a_plain_entity_reads_nothing(store: Studio) -> None:
    store.run_sync(put(store.context, Note(note_id="1", text="old")))
    note = store.run_sync(put(store.context, Note(note_id="1", text="new")))
    assert store.operations() == ["PutItem", "PutItem"]
    assert store.table() == left_by(note)


def test_put_does_not_overwrite_an_item_of_another_type(store: Studio) -> None:
    key = {"PK": {"S": "NOTE#1"}, "SK": {"S": "NOTE"}, "type": {"S": "LEDGER"}}
    store.db.call("PutItem", {"TableName": "studio-test", "Item": key})
    for write in (put(store.context, Note(note_id="1")), create(store.context, Note(note_id="1"))):
        with pytest.raises(AlreadyExists, match="an item of another type is stored under its key"):
            store.run_sync(write)
    with pytest.raises(AlreadyExists):
        store.run_sync(delete(store.context, Delete(Note(note_id="1"))))


def test_put_keeps_stored_counters(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1", taken=5)))
    room = store.run_sync(put(store.context, Room(room_id="1", name="new", taken=0)))
    assert (room.taken, room.name) == (5, "new")
    assert store.table() == left_by(room)


def test_put_of_an_unchanged_entity_writes_nothing(store: Studio) -> None:
    room = store.run_sync(put(store.context, Room(room_id="1")))
    store.operations()
    assert store.run_sync(put(store.context, room)) == room
    assert store.operations() == ["GetItem"]


def test_put_updates_the_write_time_and_the_expiry(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    store.clock.advance(60)
    again = store.run_sync(put(store.context, artist))
    assert again.updated_at == CREATED + timedelta(seconds=60)
    assert again.created_at == CREATED
    assert again.expires_at == int(START) + 60 + 30 * 24 * 3600


def test_unknown_attributes_are_kept_by_a_put(store: Studio) -> None:
    room = store.run_sync(create(store.context, Room(room_id="1")))
    key = {"PK": {"S": "ROOM#1"}, "SK": {"S": "ROOM"}}
    edit = {"UpdateExpression": "SET legacy = :v", "ExpressionAttributeValues": {":v": {"S": "kept"}}}
    store.db.call("UpdateItem", {"TableName": "studio-test", "Key": key, **edit})
    item = store.db.call("GetItem", {"TableName": "studio-test", "Key": key})["Item"]
    read = store.context.decoder(Room.layout).make(item)
    assert isinstance(read, Room)
    store.run_sync(put(store.context, read.changed(name="new")))
    assert [item.get("legacy") for item in store.table().values()] == [{"S": "kept"}]
    store.run_sync(put(store.context, room.changed(name="newer")))
    assert [item.get("legacy") for item in store.table().values()] == [None]


def test_a_check_is_one_condition_check(store: Studio) -> None:
    present = store.run_sync(plan_check(Planner(store.context, Check(ROOM), ROOM)))
    absent = store.run_sync(plan_absence_check(Planner(store.context, CheckAbsent(ROOM), ROOM)))
    for plan in (present, absent):
        (action,) = plan.actions
        assert (action.kind, action.key) == ("ConditionCheck", {"PK": {"S": "ROOM#1"}, "SK": {"S": "ROOM"}})
    assert store.operations() == []


def test_checks_decide_about_the_transaction(store: Studio) -> None:
    note = Put(Note(note_id="1"))
    with pytest.raises(TransactionFailed):
        store.run_sync(transact(store.context, note, Check(ROOM)))
    store.run_sync(transact(store.context, note, CheckAbsent(ROOM)))
    store.run_sync(create(store.context, Room(room_id="1")))
    store.run_sync(transact(store.context, note, Check(ROOM)))
    with pytest.raises(TransactionFailed):
        store.run_sync(transact(store.context, note, CheckAbsent(ROOM)))


def test_request_returns_the_call_without_making_it(store: Studio) -> None:
    call = store.run_sync(request(store.context, Create(Note(note_id="1", text="t"))))
    assert call.operation == "PutItem"
    assert call.request["ConditionExpression"] == "(attribute_not_exists(#0)) OR (#1 BETWEEN :0 AND :1)"
    several = store.run_sync(request(store.context, Create(Artist(studio="s", artist_id="1", email="a@x"))))
    assert several.operation == "TransactWriteItems"
    assert store.table() == {}
