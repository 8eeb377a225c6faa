"""Lost replies: DynamoDB fails or the reply is lost, so the outcome of a write is unknown. No write happens twice."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tablewright import Faults, connect
from tablewright.access.writes.entity_writes import create, delete, put, transact, update
from tablewright.access.writes.values import Add, Create, Delete, Target, Update
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import InternalFailure, LostConnection, OutcomeUnknown
from tests.access import shop
from tests.access.studio import Flaky, Ledger, Note, Room, Studio, left_by, studio

BROKEN = InternalFailure("broken")
LOST = LostConnection("lost")
UNSENT = LostConnection("refused", was_sent=False)
ROOM = Target(Room, {"room_id": "1"})


@pytest.mark.parametrize("failure", [BROKEN, LOST])
@pytest.mark.parametrize("done", [True, False])
class TestLostReplies:
    def test_a_repeated_create_does_not_fail_on_its_own_item(
        self, store: Studio, failure: Exception, done: bool
    ) -> None:
        flaky = Flaky(store, (failure, done), (failure, done))
        room = flaky.run_sync(create(store.context, Room(room_id="1", seats=3)))
        assert store.table() == left_by(room)

    def test_an_update_that_sets_fields_is_repeated(
        self, store: Studio, failure: Exception, done: bool
    ) -> None:
        store.run_sync(create(store.context, Room(room_id="1")))
        flaky = Flaky(store, (failure, done))
        room = flaky.run_sync(update(store.context, Update(ROOM, set={"seats": 2}, when=Room.seats == 1)))
        assert room.seats == 2
        assert store.table() == left_by(room)

    def test_a_version_is_increased_once(self, store: Studio, failure: Exception, done: bool) -> None:
        ledger = store.run_sync(create(store.context, Ledger(ledger_id="1")))
        flaky = Flaky(store, (failure, done))
        ledger = flaky.run_sync(put(store.context, ledger.changed(total=5)))
        flaky.failures = [(failure, done)]
        ledger = flaky.run_sync(update(store.context, Update(ledger, set={"total": 6})))
        assert (ledger.total, ledger.version) == (6, 3)
        assert store.table() == left_by(ledger)

    def test_a_conditional_delete_is_repeated(self, store: Studio, failure: Exception, done: bool) -> None:
        store.run_sync(create(store.context, Room(room_id="1")))
        flaky = Flaky(store, (failure, done))
        assert flaky.run_sync(delete(store.context, Delete(ROOM, Room.seats == 1)))
        assert store.table() == {}

    def test_an_add_is_not_repeated(self, store: Studio, failure: Exception, done: bool) -> None:
        store.run_sync(create(store.context, Room(room_id="1")))
        flaky = Flaky(store, (failure, done))
        with pytest.raises(
            OutcomeUnknown, match=r"Room\(room_id='1'\) may or may not have been written"
        ) as caught:
            flaky.run_sync(update(store.context, Add(ROOM, taken=1)))
        assert caught.value.__cause__ is failure
        assert [item["taken"] for item in store.table().values()] == [{"N": str(int(done))}]

    def test_an_add_in_a_transaction_is_executed_once(
        self, store: Studio, failure: Exception, done: bool
    ) -> None:
        room = store.run_sync(create(store.context, Room(room_id="1")))
        flaky = Flaky(store, (failure, done), (failure, done))
        flaky.run_sync(transact(store.context, Add(ROOM, taken=1)))
        assert store.table() == left_by(room.changed(taken=1))


def test_an_add_that_was_never_sent_is_repeated(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1")))
    flaky = Flaky(store, (UNSENT, False), (UNSENT, False))
    assert flaky.run_sync(update(store.context, Add(ROOM, taken=1))).taken == 1


@pytest.mark.parametrize("done", [True, False])
def test_an_add_with_a_version_is_executed_once_or_in_doubt(store: Studio, done: bool) -> None:
    ledger = store.run_sync(create(store.context, Ledger(ledger_id="1")))
    flaky = Flaky(store, (BROKEN, done))
    if done:  # the version changed, and a sum does not show which writer added to it
        with pytest.raises(OutcomeUnknown):
            flaky.run_sync(update(store.context, Add(ledger, total=1)))
    else:
        assert flaky.run_sync(update(store.context, Add(ledger, total=1))).total == 1
    assert [item["total"] for item in store.table().values()] == [{"N": "1"}]


def test_a_request_that_was_never_sent_is_not_in_doubt(store: Studio) -> None:
    flaky = Flaky(store, *[(UNSENT, False)] * 9)
    with pytest.raises(LostConnection, match="refused"):
        flaky.run_sync(create(store.context, Room(room_id="1")))
    assert len(flaky.failures) == 6, "a network that fails is tried three times"


def test_an_item_of_another_writer_is_not_taken_for_the_own_write(store: Studio) -> None:
    other = store.run_sync(create(store.context, Room(room_id="1", name="other")))
    flaky = Flaky(store, (BROKEN, False))
    with pytest.raises(OutcomeUnknown):
        flaky.run_sync(create(store.context, Room(room_id="1", name="mine")))
    assert store.table() == left_by(other)


def test_a_write_in_doubt_is_not_planned_again(store: Studio) -> None:
    """The write changes what its condition tests, so a failed condition may be caused by its own first attempt."""
    store.run_sync(create(store.context, Room(room_id="1", owner="ada", name="a")))
    flaky = Flaky(store, (None, True), (BROKEN, True))
    with pytest.raises(OutcomeUnknown):
        flaky.run_sync(update(store.context, Update(ROOM, set={"name": "b"}, add={"taken": 1})))
    assert [item["taken"] for item in store.table().values()] == [{"N": "1"}]


def test_a_transaction_that_always_fails_is_in_doubt(store: Studio) -> None:
    flaky = Flaky(store, *[(BROKEN, False)] * 20)
    with pytest.raises(OutcomeUnknown):
        flaky.run_sync(transact(store.context, Create(Note(note_id="1")), Create(Note(note_id="2"))))


def test_with_random_failures_creates_succeed_and_adds_count_once() -> None:
    with studio(Faults(seed=11, internal_errors=0.4, conflicts=0.1, throttling=0.1)) as unreliable:
        rooms = [
            unreliable.run_sync(create(unreliable.context, Room(room_id=str(n), seats=n))) for n in range(60)
        ]
        outcomes: Counter[str] = Counter()
        for _ in range(200):
            try:
                unreliable.run_sync(update(unreliable.context, Add(ROOM, taken=1)))
                outcomes["known"] += 1
            except OutcomeUnknown:
                outcomes["unknown"] += 1
        for _ in range(50):
            unreliable.run_sync(transact(unreliable.context, Add(Target(Room, {"room_id": "2"}), taken=1)))
        counts = {item["PK"]["S"]: int(item["taken"]["N"]) for item in unreliable.table().values()}
    assert len(counts) == len(rooms)
    assert counts["ROOM#2"] == 50
    assert outcomes["known"] <= counts["ROOM#1"] <= outcomes["known"] + outcomes["unknown"]
    assert outcomes["unknown"] > 10


@contextmanager
def _losing_replies(operation: str) -> Iterator[tuple[str, list[str]]]:
    """An endpoint that executes every call, but closes the connection instead of replying to the first one."""
    seen: list[str] = []

    class Endpoint(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            requested = self.headers["X-Amz-Target"].partition(".")[2]
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.append(requested)
            status, reply = database.call_json(requested, body)
            if requested == operation and seen.count(requested) == 1:
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    with (
        closing(Database(open_store())) as database,
        ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server,
    ):
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", seen
        finally:
            server.shutdown()
            thread.join()


def test_over_http_a_create_with_a_lost_reply_succeeds() -> None:
    with (
        _losing_replies("PutItem") as (url, seen),
        connect(shop.gather(), url, environment="x", create=True) as db,
    ):
        made = db.create(shop.order("ada", 1))
        assert db.run(shop.OrderById(customer_id="ada", order_id="001")) == made
    assert seen.count("PutItem") == 2


def test_over_http_an_add_with_a_lost_reply_counts_once() -> None:
    with (
        _losing_replies("UpdateItem") as (url, seen),
        connect(shop.gather(), url, environment="x", create=True) as db,
    ):
        order = db.create(shop.order("ada", 1, size=1))
        with pytest.raises(OutcomeUnknown):
            db.add(order, size=1)
        found = db.run(shop.OrderById(customer_id="ada", order_id="001"))
        assert found is not None
        assert found.size == 2
    assert seen.count("UpdateItem") == 1


def test_over_http_an_awaited_add_with_a_lost_reply_counts_once() -> None:
    async def run(url: str) -> int | None:
        async with connect(shop.gather(), url, environment="x", create=True).aio as db:
            order = await db.create(shop.order("ada", 1, size=1))
            with pytest.raises(OutcomeUnknown):
                await db.add(order, size=1)
            found = await db.run(shop.OrderById(customer_id="ada", order_id="001"))
            return found.size if found else None

    with _losing_replies("UpdateItem") as (url, seen):
        assert asyncio.run(run(url)) == 2
    assert seen.count("UpdateItem") == 1
