"""Consistency: after writes in any order, the table has what fresh puts of the existing entities would store.

A machine makes random creates, puts, updates, moves, deletes, batches and transactions, and keeps a model of what
should exist. After each step the whole table is compared with the model's footprints: index keys, copies and locks.
The same is done on a store with throttling, conflicts and failures: there a write may fail, but never in part.
"""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tablewright import Faults
from tablewright.access.items.footprint import ComparableKey
from tablewright.access.procedures import Procedure
from tablewright.access.writes import batch, entity_writes
from tablewright.access.writes.values import Add, Check, Create, Delete, Move, Put, Target, Update, Write
from tablewright.design.entities.entities import Entity
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import OutcomeUnknown, ServiceError, TablewrightError
from tests.access.studio import Artist, Note, Room, left_by, studio
from tests.example_counts import examples

MONTH = 31 * 24 * 3600

Key = tuple[str, str]
Model = dict[Key, Entity]

STUDIOS = st.sampled_from(["s", "t"])
IDS = st.sampled_from(["1", "2", "3"])
EMAILS = st.sampled_from([None, "a@x", "A@X", "b@x"])
NICKNAMES = st.sampled_from([None, "nick", "n#k"])
CITIES = st.sampled_from([None, "Oslo", "Rome"])
DUE = st.sampled_from([None, *map(datetime.fromisoformat, ("2025-01-31T23:59Z", "2025-02-01T01:00+02:00"))])
FREE = st.fixed_dictionaries(
    {},
    optional={
        "email": EMAILS,
        "nickname": NICKNAMES,
        "city": CITIES,
        "rank": st.sampled_from([None, 1, 2]),
        "level": st.integers(0, 3),
        "due_at": DUE,
        "is_open": st.booleans(),
        "friends": st.lists(st.sampled_from(["f", "g", "h"]), max_size=3),
        "tags": st.sets(st.sampled_from(["x", "y"])),
    },
)
REMOVABLE = st.sets(
    st.sampled_from(["email", "nickname", "city", "rank", "tags", "friends", "is_open", "due_at"]), max_size=2
)
ADDABLE = st.dictionaries(st.sampled_from(["likes", "views", "level"]), st.integers(-2, 5), max_size=2)


class ExpectedFailure(Exception):
    """Raised by the model for a write that must fail."""


class Consistency(RuleBasedStateMachine):
    """Random writes against a store, and a model of what should exist."""

    faults: Faults | None = None

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.store = self.stack.enter_context(studio(self.faults))
        self.alive: Model = {}
        self.expired_items: dict[ComparableKey, Item] = {}

    def teardown(self) -> None:
        self.stack.close()

    # The model.

    def with_automatic_fields(self, old: Artist | None, values: dict[str, Any]) -> Artist:
        now = self.store.context.timestamp()
        before: dict[str, Any] = old.__dict__ if old else {"created_at": now, "version": 0}
        after = {**before, **values, "updated_at": now, "version": before["version"] + 1}
        return Artist(**{**after, "expires_at": int(now.timestamp()) + 30 * 24 * 3600})

    def with_changes(self, *changes: tuple[Key, Entity | None]) -> Model:
        after = dict(self.alive)
        for key, entity in changes:
            if entity is None:
                after.pop(key, None)
            else:
                after[key] = entity
        artists = [entity for entity in after.values() if isinstance(entity, Artist)]
        emails = [each.email.casefold() for each in artists if each.email]
        names = [(each.studio, each.city, each.nickname) for each in artists if each.nickname]
        if len(set(emails)) < len(emails) or len(set(names)) < len(names):
            raise ExpectedFailure
        return after

    def created(self, key: Key, values: dict[str, Any]) -> tuple[Write, Key, Entity | None]:
        entity = Artist(studio=key[0], artist_id=key[1], **values)
        if key in self.alive:
            raise ExpectedFailure
        return (
            Create(entity),
            key,
            self.with_automatic_fields(None, entity.model_dump(exclude={"created_at", "version"})),
        )

    def updated(
        self, key: Key, values: dict[str, Any], remove: set[str], add: dict[str, int]
    ) -> tuple[Write, Key, Entity | None]:
        values = {name: value for name, value in values.items() if name not in remove | add.keys()} or {
            "level": 2
        }
        add = {name: amount for name, amount in add.items() if name not in values}
        write = Update(
            Target(Artist, {"studio": key[0], "artist_id": key[1]}), set=values, remove=remove, add=add
        )
        old = self.alive.get(key)
        if not isinstance(old, Artist):
            raise _Refused(write)
        gone = {name: Artist.model_fields[name].get_default(call_default_factory=True) for name in remove}
        sums = {name: getattr(old, name) + amount for name, amount in add.items()}
        if sums.get("level", 0) < 0:  # its key format has no sign
            raise _Refused(write)
        return write, key, self.with_automatic_fields(old, {**values, **gone, **sums})

    # Running a write.

    def attempt(self, procedure: Procedure[Any], after: Callable[[], Model]) -> None:
        """Run a write. It must succeed or fail as the model expects, unless the store itself fails."""
        try:
            wanted = after()
        except ExpectedFailure:
            wanted = None
        before = self.alive
        try:
            self.store.run_sync(procedure)
        except (ServiceError, OutcomeUnknown) as failure:
            if self.faults is None:
                raise
            self.check_failed_write(failure, before, wanted)
        except TablewrightError:
            assert wanted is None
        else:
            if wanted is None:
                # After a fault with an unknown outcome, a write that finds exactly its own item counts as done.
                assert self.faults is not None
                assert self.matches(before)
                return
            self.alive = wanted

    def check_failed_write(self, failure: TablewrightError, before: Model, wanted: Model | None) -> None:
        """A failed write changed everything or nothing; everything only if its outcome is unknown."""
        done = wanted is not None and self.matches(wanted)
        assert done or self.matches(before)
        assert not done or isinstance(failure, OutcomeUnknown) or wanted == before
        self.alive = wanted if done and wanted is not None else before

    def matches(self, model: Model) -> bool:
        table = self.store.table()
        expected = left_by(*model.values())
        return all(table.get(key) == item for key, item in expected.items()) and all(
            key in expected or self.expired_items.get(key) == item for key, item in table.items()
        )

    # The rules.

    @rule(studio=STUDIOS, artist_id=IDS, values=FREE)
    def create(self, studio: str, artist_id: str, values: dict[str, Any]) -> None:
        key = (studio, artist_id)
        entity = Artist(studio=studio, artist_id=artist_id, **values)

        def after() -> Model:
            _, _, made = self.created(key, values)
            return self.with_changes((key, made))

        self.attempt(entity_writes.create(self.store.context, entity), after)

    @rule(studio=STUDIOS, artist_id=IDS, values=FREE, stale=st.booleans())
    def put(self, studio: str, artist_id: str, values: dict[str, Any], stale: bool) -> None:
        key = (studio, artist_id)
        old = self.alive.get(key)
        version = old.version if isinstance(old, Artist) and not stale else 0
        entity = Artist(studio=studio, artist_id=artist_id, likes=7, version=version, **values)

        def after() -> Model:
            if isinstance(old, Artist) and stale:
                raise ExpectedFailure
            counts = {"likes": old.likes, "views": old.views} if isinstance(old, Artist) else {}
            fresh = {**entity.model_dump(exclude={"created_at"}), **counts, "version": version}
            now = self.store.context.timestamp()
            made = self.with_automatic_fields(None, {**fresh, "created_at": now})
            return self.with_changes((key, made.model_copy(update={"version": version + 1})))

        self.attempt(entity_writes.put(self.store.context, entity), after)

    @rule(studio=STUDIOS, artist_id=IDS, values=FREE, remove=REMOVABLE, add=ADDABLE)
    def update(
        self, studio: str, artist_id: str, values: dict[str, Any], remove: set[str], add: dict[str, int]
    ) -> None:
        try:
            write, key, made = self.updated((studio, artist_id), values, remove, add)
        except _Refused as error:
            write, key, made = error.write, (studio, artist_id), None

        def after() -> Model:
            if made is None:
                raise ExpectedFailure
            return self.with_changes((key, made))

        assert isinstance(write, Update)
        self.attempt(entity_writes.update(self.store.context, write), after)

    @rule(studio=STUDIOS, artist_id=IDS, level=st.integers(0, 3))
    def update_on_condition(self, studio: str, artist_id: str, level: int) -> None:
        key = (studio, artist_id)
        old = self.alive.get(key)
        target = Target(Artist, {"studio": studio, "artist_id": artist_id})
        write = Update(target, set={"city": "Paris"}, when=Artist.level >= level)

        def after() -> Model:
            if not isinstance(old, Artist) or old.level < level:
                raise ExpectedFailure
            return self.with_changes((key, self.with_automatic_fields(old, {"city": "Paris"})))

        self.attempt(entity_writes.update(self.store.context, write), after)

    @rule(studio=STUDIOS, artist_id=IDS, to=IDS, elsewhere=STUDIOS)
    def move(self, studio: str, artist_id: str, to: str, elsewhere: str) -> None:
        key, goal = (studio, artist_id), (elsewhere, to)
        old = self.alive.get(key)
        target = Target(Artist, {"studio": studio, "artist_id": artist_id})

        def after() -> Model:
            if not isinstance(old, Artist) or goal in self.alive:
                raise ExpectedFailure
            made = self.with_automatic_fields(old, {"studio": elsewhere, "artist_id": to})
            return self.with_changes((key, None), (goal, made))

        write = Move(target, {"studio": elsewhere, "artist_id": to})
        self.attempt(entity_writes.move(self.store.context, write), after)

    @rule(studio=STUDIOS, artist_id=IDS)
    def delete(self, studio: str, artist_id: str) -> None:
        key = (studio, artist_id)
        target = Target(Artist, {"studio": studio, "artist_id": artist_id})
        procedure = entity_writes.delete(self.store.context, Delete(target))
        self.attempt(procedure, lambda: self.with_changes((key, None)))

    @rule(room_id=IDS, owner=st.sampled_from([None, "me", "you"]), name=st.sampled_from(["r", "q"]))
    def put_room(self, room_id: str, owner: str | None, name: str) -> None:
        room = Room(room_id=room_id, owner=owner, name=name, taken=9)
        old = self.alive.get(("room", room_id))
        made = room.changed(taken=old.taken) if isinstance(old, Room) else room
        self.attempt(
            entity_writes.put(self.store.context, room), lambda: self.with_changes((("room", room_id), made))
        )

    @rule(room_id=IDS, owner=st.sampled_from([None, "me"]), both=st.booleans(), taken=st.integers(1, 3))
    def change_room(self, room_id: str, owner: str | None, both: bool, taken: int) -> None:
        old = self.alive.get(("room", room_id))
        values = {"owner": owner, "name": "both"} if both else {"owner": owner}
        write = Update(Target(Room, {"room_id": room_id}), set=values, add={"taken": taken})

        def after() -> Model:
            if not isinstance(old, Room):
                raise ExpectedFailure
            return self.with_changes((("room", room_id), old.changed(**values, taken=old.taken + taken)))

        self.attempt(entity_writes.update(self.store.context, write), after)

    @rule(texts=st.dictionaries(IDS, st.sampled_from(["", "p", "q"]), max_size=3), gone=st.sets(IDS))
    def batch(self, texts: dict[str, str], gone: set[str]) -> None:
        notes = [Note(note_id=note_id, text=text or "r") for note_id, text in texts.items()]
        deletes = [Delete(Target(Note, {"note_id": note_id})) for note_id in sorted(gone - texts.keys())]
        changes: list[tuple[Key, Entity | None]] = [(("note", note.note_id), note) for note in notes]
        changes += [(("note", note_id), None) for note_id in gone - texts.keys()]
        procedure = batch.batch(self.store.context, [*map(Put, notes), *deletes])
        self.attempt(procedure, lambda: self.with_changes(*changes))

    @rule(data=st.data())
    def transact(self, data: st.DataObject) -> None:
        keys = data.draw(st.lists(st.tuples(STUDIOS, IDS), min_size=1, max_size=3, unique=True))
        writes: list[Write] = []
        changes: list[tuple[Key, Entity | None]] = []
        doomed = False
        for key in keys:
            try:
                write, _, made = self.draw_write(data, key)
            except _Refused as error:
                writes.append(error.write)
                doomed = True
                continue
            writes.append(write)
            changes.append((key, made))
            doomed |= self.is_taken(key, made)
        room = self.alive.get(("room", "1"))
        if data.draw(st.booleans()):
            writes.append(Add(Target(Room, {"room_id": "1"}), taken=1))
            doomed |= room is None
            if isinstance(room, Room):
                changes.append((("room", "1"), room.changed(taken=room.taken + 1)))

        def after() -> Model:
            if doomed:
                raise ExpectedFailure
            return self.with_changes(*changes)

        self.attempt(entity_writes.transact(self.store.context, *writes), after)

    def is_taken(self, key: Key, made: Entity | None) -> bool:
        """Whether another entity has the unique values, even if the same transaction releases them."""
        try:
            self.with_changes((key, made))
        except ExpectedFailure:
            return True
        return False

    def draw_write(self, data: st.DataObject, key: Key) -> tuple[Write, Key, Entity | None]:
        target = Target(Artist, {"studio": key[0], "artist_id": key[1]})
        match data.draw(st.sampled_from(["create", "update", "delete", "check"])):
            case "create":
                values: dict[str, Any] = data.draw(FREE)
                try:
                    return self.created(key, values)
                except ExpectedFailure:
                    raise _Refused(Create(Artist(studio=key[0], artist_id=key[1], **values))) from None
            case "update":
                return self.updated(key, data.draw(FREE), data.draw(REMOVABLE), data.draw(ADDABLE))
            case "delete":
                return Delete(target), key, None
            case _:
                old = self.alive.get(key)
                write = Check(target, Artist.is_open == True)  # noqa: E712 - a condition
                if not isinstance(old, Artist) or not old.is_open:
                    raise _Refused(write)
                return write, key, old

    @rule(seconds=st.integers(1, 3600))
    def wait(self, seconds: int) -> None:
        self.store.clock.advance(seconds)

    @precondition(lambda self: any(isinstance(each, Artist) for each in self.alive.values()))
    @rule()
    def expire(self) -> None:
        """All artists expire, and no sweep deletes them."""
        artists = {key: each for key, each in self.alive.items() if isinstance(each, Artist)}
        self.expired_items |= left_by(*artists.values())
        self.alive = {key: each for key, each in self.alive.items() if key not in artists}
        self.store.clock.advance(MONTH)

    @precondition(lambda self: self.expired_items)
    @rule()
    def sweep(self) -> None:
        self.store.db.sweep()
        self.expired_items = {}

    @invariant()
    def the_table_is_true(self) -> None:
        table = self.store.table()
        expected = left_by(*self.alive.values())
        assert {key: item for key, item in table.items() if key in expected} == expected
        surplus = {key: item for key, item in table.items() if key not in expected}
        assert surplus == {key: self.expired_items[key] for key in surplus if key in self.expired_items}


class _Refused(Exception):
    """A write that must fail."""

    def __init__(self, write: Write) -> None:
        super().__init__()
        self.write = write


class ConsistencyWithFaults(Consistency):
    """The same on a store with faults."""

    faults = Faults(seed=7, throttling=0.1, conflicts=0.15, internal_errors=0.15, unprocessed=0.2)


TestConsistency = Consistency.TestCase
TestConsistency.settings = examples(60, stateful_step_count=30)
TestConsistencyWithFaults = ConsistencyWithFaults.TestCase
TestConsistencyWithFaults.settings = examples(60, stateful_step_count=25)
