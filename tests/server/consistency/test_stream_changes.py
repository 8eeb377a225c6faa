"""A consumer of a stream sees every change of an item once and in order, across kills of the server."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.consistency.stream_changes import History, Seen, problems, run

RECORD_LOST = """
from tablewright.engine.features.streams import stream_records
append_record = stream_records.append_record
count = 0
def append_some(tx, change, stream):
    global count
    count += 1
    if count % 10:
        append_record(tx, change, stream)
stream_records.append_record = append_some
"""
RECORD_TWICE = """
from tablewright.engine.features.streams import stream_records
append_record = stream_records.append_record
count = 0
def append_twice(tx, change, stream):
    global count
    count += 1
    append_record(tx, change, stream)
    if count % 10 == 0:
        append_record(tx, change, stream)
stream_records.append_record = append_twice
"""
RECORDS_WITH_THE_NEXT_WRITE = """
from tablewright.engine.features.streams import stream_records
append_record = stream_records.append_record
waiting = []
def append_later(tx, change, stream):
    waiting.append(change)
    if len(waiting) == 20:
        for each in waiting:
            append_record(tx, each, stream)
        waiting.clear()
stream_records.append_record = append_later
"""
OLD_IMAGE_LOST = """
from tablewright.engine.features.streams import stream_records
append_record = stream_records.append_record
count = 0
def append_without_old(tx, change, stream):
    global count
    count += 1
    append_record(tx, change if count % 10 else change._replace(old=None), stream)
stream_records.append_record = append_without_old
"""


@pytest.mark.parametrize(
    ("changes", "kills"),
    [(400, 3), pytest.param(40_000, 200, marks=pytest.mark.soak)],
    ids=["3 kills", "200 kills"],
)
def test_every_change_is_seen_once(
    tmp_path: Path, record_property: Callable[[str, object], None], changes: int, kills: int
) -> None:
    history = run(tmp_path / "data.db", changes, kills, seed=kills)
    made = sum(map(len, history.made.values()))
    record_property("changes", made)
    record_property("lost replies", history.lost_replies)
    record_property("starts of the consumer", history.restarts_of_consumer)
    assert problems(history) == []
    assert made >= changes
    assert history.kills == kills
    assert history.lost_replies > 0, "some replies were lost"
    assert history.restarts_of_consumer > kills // 2, "the consumer started again from its checkpoint"


@pytest.mark.parametrize(
    "planted",
    [RECORD_LOST, RECORD_TWICE, RECORDS_WITH_THE_NEXT_WRITE, OLD_IMAGE_LOST],
    ids=["lost record", "record twice", "records written later", "old image lost"],
)
def test_planted_bugs_are_found(tmp_path: Path, planted: str) -> None:
    assert problems(run(tmp_path / "data.db", 200, 1, seed=1, planted=planted))


INSERT = Seen("1", "e1", "INSERT", "a", None, 1)
MODIFY = Seen("2", "e2", "MODIFY", "a", 1, 2)
REMOVE = Seen("3", "e3", "REMOVE", "a", 2, None)
MADE = {"a": [(None, 1), (1, 2), (2, None)]}


def history_of(*seen: Seen) -> History:
    return History({"a": [*MADE["a"]]}, [*seen], [*seen], 0, 0, 0)


def test_a_complete_history_has_no_problems() -> None:
    assert problems(history_of(INSERT, MODIFY, REMOVE)) == []


@pytest.mark.parametrize(
    ("seen", "problem"),
    [
        ((INSERT, REMOVE), "missing [(1, 2)]"),
        ((INSERT, MODIFY, MODIFY._replace(number="4", event="e4"), REMOVE), "record 3 came after 4"),
        ((INSERT, MODIFY, MODIFY, REMOVE), "two records have one event ID"),
        ((MODIFY, INSERT, REMOVE), "record 1 came after 2"),
        ((INSERT, MODIFY._replace(old=None), REMOVE), "is MODIFY instead of INSERT"),
        ((INSERT, MODIFY), "missing [(2, None)]"),
    ],
    ids=["a gap", "out of order", "twice", "swapped", "without the old image", "the end is missing"],
)
def test_wrong_histories_are_found(seen: tuple[Seen, ...], problem: str) -> None:
    assert any(problem in each for each in problems(history_of(*seen)))


def test_a_consumer_that_skips_a_record_is_found() -> None:
    history = history_of(INSERT, MODIFY, REMOVE)
    assert problems(history._replace(consumed=[INSERT, REMOVE]))
