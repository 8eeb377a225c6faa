"""The rules of GoalsGuild about rooms, messages and threads of assistance."""

from datetime import timedelta

import pytest
from tablewright_systems.goalsguild.design.goals import MessagesTimeline
from tablewright_systems.goalsguild.design.rooms import AssistMsg, Message, RoomsOfUser, ThreadsOfUser
from tablewright_systems.goalsguild.design.tables import Visibility
from tablewright_systems.goalsguild.service import (
    assistance,
    rooms,
)
from tablewright_systems.service import Caller, Conflict, Forbidden, Gone, NotFound

from systems.tests.goalsguild.fixtures import ASSISTANT, items
from tablewright import Clock, Repository


def test_r12_messages_of_one_millisecond_keep_their_order(db: Repository, clock: Clock, ada: Caller) -> None:
    room = rooms.create_room(db, ada, name="runners")
    posted = []
    for number in range(12):
        clock.advance(0.5 if number % 4 else 0.25)
        posted.append(rooms.post(db, ada, room.id, f"word {number}"))
    assert list(rooms.history(db, ada, room.id, newest_first=False)) == posted
    assert len({len(item["SK"]["S"]) for item in items(db) if item["SK"]["S"].startswith("MSG#")}) == 1
    assert [rooms.time_of(item.id) for item in posted] == [item.created_at for item in posted]


def test_r12_deleted_message_is_gone(db: Repository, ada: Caller) -> None:
    room = rooms.create_room(db, ada, name="runners")
    message = rooms.post(db, ada, room.id, "oops", client_id="m1")
    rooms.withdraw(db, ada, room.id, message.id)
    with pytest.raises(Gone):
        rooms.post(db, ada, room.id, "oops", client_id="m1")


def test_r12_receipt_expires_after_a_day(db: Repository, clock: Clock, ada: Caller) -> None:
    room = rooms.create_room(db, ada, name="runners")
    first = rooms.post(db, ada, room.id, "hello", client_id="m1")
    clock.advance(timedelta(hours=23))
    assert rooms.post(db, ada, room.id, "hello", client_id="m1") == first
    clock.advance(timedelta(hours=1))
    assert rooms.post(db, ada, room.id, "hello", client_id="m1") != first


@pytest.mark.parametrize(
    "message_id", ["", "u", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "not a ULID at all!!", "0" * 26]
)
def test_r12_invalid_id_finds_nothing(db: Repository, ada: Caller, message_id: str) -> None:
    room = rooms.create_room(db, ada, name="runners")
    with pytest.raises(NotFound):
        rooms.edit(db, ada, room.id, message_id, "x")


def test_r13_only_members_read_a_room(db: Repository, ada: Caller, bob: Caller) -> None:
    room = rooms.create_room(db, ada, name="runners")
    posted = rooms.post(db, ada, room.id, "hello")
    for action in (
        lambda: rooms.history(db, bob, room.id),
        lambda: rooms.post(db, bob, room.id, "me too"),
        lambda: rooms.members(db, bob, room.id),
        lambda: rooms.add_member(db, bob, room.id, "bob"),
        lambda: rooms.remove_member(db, bob, room.id, "ada"),
        lambda: rooms.edit(db, bob, room.id, posted.id, "x"),
    ):
        with pytest.raises(Forbidden):
            action()
    for hidden in (lambda: rooms.room_of(db, bob, room.id), lambda: rooms.join(db, bob, room.id)):
        with pytest.raises(NotFound):
            hidden()
    rooms.add_member(db, ada, room.id, "bob")
    with pytest.raises(Forbidden):
        rooms.edit(db, bob, room.id, posted.id, "not my words")
    with pytest.raises(Forbidden):
        rooms.withdraw(db, bob, room.id, posted.id)
    rude = rooms.post(db, bob, room.id, "rude")
    rooms.withdraw(db, ada, room.id, rude.id)
    assert [room.room_id for room in db.run(RoomsOfUser(user_id="bob"))] == [room.id]
    rooms.remove_member(db, bob, room.id, "bob")
    assert [member.user_id for member in rooms.members(db, ada, room.id)] == ["ada"]


def test_r13_owner_cannot_leave_a_room(db: Repository, ada: Caller, bob: Caller) -> None:
    room = rooms.create_room(db, ada, name="runners")
    rooms.add_member(db, ada, room.id, "bob")
    with pytest.raises(Conflict):
        rooms.remove_member(db, ada, room.id, "ada")
    rooms.remove_member(db, ada, room.id, "bob")
    assert [member.user_id for member in rooms.members(db, ada, room.id)] == ["ada"]


def test_r13_any_user_joins_a_public_room(db: Repository, ada: Caller, bob: Caller) -> None:
    room = rooms.create_room(db, ada, name="runners", visibility=Visibility.PUBLIC)
    assert rooms.room_of(db, bob, room.id) == room
    rooms.join(db, bob, room.id)
    with pytest.raises(Conflict):
        rooms.join(db, bob, room.id)
    with pytest.raises(Forbidden):
        rooms.join(db, Caller("unknown"), room.id)


def test_r14_r15_messages_have_ids_and_the_times_of_the_document(db: Repository, ada: Caller) -> None:
    thread = assistance.open_thread(db, ada, title="help")
    message = assistance.say(db, ada, thread.id, "?")
    item = next(item for item in items(db) if item["type"] == {"S": "AssistMsg"})
    assert item["id"] == {"S": message.id}
    assert item["SK"]["S"].endswith(message.id)
    assert "updatedAt" not in item
    assert "updated_at" not in {*Message.model_fields, *AssistMsg.model_fields}


def test_r16_messages_are_on_the_timeline_only_on_request(db: Repository, ada: Caller) -> None:
    room = rooms.create_room(db, ada, name="runners")
    rooms.post(db, ada, room.id, "just here")
    shown = rooms.post(db, ada, room.id, "for ever", on_timeline=True)
    assert list(db.run(MessagesTimeline(user_id="ada"))) == [shown]
    rooms.withdraw(db, ada, room.id, shown.id)
    assert not db.run(MessagesTimeline(user_id="ada"))


def test_only_the_assistant_replies_in_any_thread(db: Repository, ada: Caller, bob: Caller) -> None:
    thread = assistance.open_thread(db, ada, title="help")
    with pytest.raises(Forbidden):
        assistance.answer(db, bob, thread.id, "I know")
    with pytest.raises(NotFound):
        assistance.answer(db, ASSISTANT, "none", "I know")
    assert [thread.id for thread in db.run(ThreadsOfUser(user_id="ada"))] == [thread.id]
