"""Records of the checkpoint table: as items and back."""

import pytest

from tablewright.lifecycle.traversal.checkpoint_records import (
    PassSegment,
    Reject,
    State,
    Tally,
    reject_item,
    reject_of,
    segment_of,
    state_of,
    with_rejects,
)

STATE = State(
    "walk", "up", 2, 3, 4, "2026-01-01T00:00:00.000Z", tally=Tally(5, 3, 1), runner="a/1/b", revision="r"
)
KEY = {"id": {"S": "0007"}}


def test_records_are_the_same_after_reading() -> None:
    assert state_of(STATE.item()) == STATE
    segment = PassSegment(7, KEY, True, Tally(1, 2, 3), "a/1/b", 12.5)
    assert segment_of(segment.item(STATE)) == segment
    assert segment.item(STATE)["place"] == {"S": "pass/0002/03/segment/007"}
    reject = Reject("things", KEY, "odd", STATE.pass_id)
    assert reject_of(reject_item("walk", reject)) == reject


@pytest.mark.parametrize(
    ("direction", "is_done", "rejected", "status"),
    [
        ("up", False, 1, "under way"),
        ("up", True, 0, "applied"),
        ("up", True, 1, "incomplete"),
        ("down", False, 1, "being reverted"),
        ("down", True, 0, "reverted"),
        ("down", True, 1, "partly reverted"),
    ],
)
def test_status(direction: str, is_done: bool, rejected: int, status: str) -> None:
    item = STATE.item() | {
        "direction": {"S": direction},
        "done": {"BOOL": is_done},
        "rejected": {"N": str(rejected)},
    }
    assert state_of(item).status == status


def test_finished_work_has_the_rejects_that_are_left() -> None:
    done = state_of(STATE.item() | {"done": {"BOOL": True}})
    assert with_rejects(done, 0).tally.rejected == 0
    assert with_rejects(STATE, 0).tally.rejected == 1
