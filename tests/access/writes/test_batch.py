"""Batches: 25 items per call, until all are written; only entities without locks, copies, counters or version."""

from typing import Any

import pytest

from tablewright import Faults
from tablewright.access.procedures import run_sync
from tablewright.access.writes.batch import batch
from tablewright.access.writes.values import Delete, Put, Update
from tablewright.errors import BatchUnfinished, InvalidWrite, LostConnection, ProvisionedThroughputExceeded
from tests.access.studio import Artist, Flaky, Ledger, Note, Room, Studio, left_by, studio


def notes(count: int) -> list[Note]:
    return [Note(note_id=str(number), text="t") for number in range(count)]


def test_writes_are_sent_25_at_a_time(store: Studio) -> None:
    store.run_sync(batch(store.context, map(Put, notes(60))))
    assert store.operations() == ["BatchWriteItem"] * 3
    assert store.table() == left_by(*notes(60))
    store.run_sync(batch(store.context, map(Delete, notes(59))))
    assert store.table() == left_by(notes(60)[59])


def test_unprocessed_items_are_sent_again() -> None:
    with studio(Faults(seed=5, unprocessed=0.5, throttling=0.2, internal_errors=0.1)) as troubled:
        troubled.run_sync(batch(troubled.context, map(Put, notes(100))))
        assert troubled.table() == left_by(*notes(100))


def test_unfinished_writes_are_listed(store: Studio) -> None:
    writes = [Put(note) for note in notes(30)]
    pauses: list[float] = []

    def stubborn(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Never processes item 7, and throttles every batch that contains only item 7."""
        (expected,) = request["RequestItems"].values()
        left = [each for each in expected if each["PutRequest"]["Item"]["noteId"] == {"S": "7"}]
        done = [each for each in expected if each not in left]
        if not done:
            raise ProvisionedThroughputExceeded("slow down")
        store.db.call(operation, {"RequestItems": {"studio-test": done}})
        return {"UnprocessedItems": {"studio-test": left} if left else {}}

    with pytest.raises(BatchUnfinished, match="1 of 30 writes were not done") as caught:
        run_sync(batch(store.context, writes), stubborn, pauses.append)
    assert caught.value.left == (writes[7],)
    assert len(pauses) == 13, (
        "one after the call that wrote the others, twelve after calls that wrote nothing"
    )
    assert len(store.table()) == 29


def test_a_lost_connection_ends_the_batch(store: Studio) -> None:
    lost = LostConnection("gone", was_sent=False)
    flaky = Flaky(store, (None, True), *[(lost, False)] * 9)
    with pytest.raises(BatchUnfinished, match="75 of 100 writes were not done") as caught:
        flaky.run_sync(batch(store.context, map(Put, notes(100))))
    assert caught.value.__cause__ is lost
    assert len(flaky.failures) == 6, "the other batches are not sent"
    assert store.table() == left_by(*notes(25))


@pytest.mark.parametrize(
    ("entity", "having"),
    [
        (Artist(studio="s", artist_id="1"), "copies and unique fields and counters and a version"),
        (Room(room_id="1"), "counters"),
        (Ledger(ledger_id="1"), "a version"),
    ],
)
def test_entities_that_a_batch_cannot_keep_consistent_are_rejected(
    store: Studio, entity: Any, having: str
) -> None:
    for write in (Put(entity), Delete(entity)):
        with pytest.raises(InvalidWrite, match=f"has {having}, which a batch cannot keep consistent"):
            store.run_sync(batch(store.context, [Put(Note(note_id="1")), write]))
    assert store.operations() == []


def test_conditions_and_duplicates_are_rejected(store: Studio) -> None:
    note = Note(note_id="1")
    with pytest.raises(InvalidWrite, match="takes Put and unconditional Delete"):
        store.run_sync(batch(store.context, [Delete(note, when=Note.text == "x")]))
    with pytest.raises(InvalidWrite, match="takes Put and unconditional Delete"):
        store.run_sync(batch(store.context, [Update(note, set={"text": "x"})]))  # type: ignore[list-item]
    with pytest.raises(InvalidWrite, match="two writes of one item, PK = 'NOTE#1'"):
        store.run_sync(batch(store.context, [Put(note), Delete(note)]))
    assert store.operations() == []
