"""Item history: the versions of items from the journal, and items as of a point in time."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.features.backups import item_history
from tablewright.engine.features.backups.change_journal import DAY
from tablewright.engine.storage import open_store
from tablewright.errors import PointInTimeRecoveryUnavailable, ResourceNotFound, ValidationError
from tests.engine.table_cases import request_of

START = 1_700_000_000.0


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock(start=START))
    database.call("CreateTable", request_of("music", "artist song | artist:S song:S"))
    put(database, "nina", "old", "before recovery")
    recover(database, enabled=True)
    yield database
    database.close()


def recover(db: Database, *, enabled: bool) -> None:
    specification = {"PointInTimeRecoveryEnabled": enabled}
    request = {"TableName": "music", "PointInTimeRecoverySpecification": specification}
    db.call("UpdateContinuousBackups", request)


def key(artist: str, song: str) -> dict[str, Any]:
    return {"artist": {"S": artist}, "song": {"S": song}}


def put(db: Database, artist: str, song: str, text: str) -> None:
    """Write an item ten seconds later."""
    db.clock.advance(10)
    db.call("PutItem", {"TableName": "music", "Item": key(artist, song) | {"text": {"S": text}}})


def delete(db: Database, artist: str, song: str) -> None:
    db.clock.advance(10)
    db.call("DeleteItem", {"TableName": "music", "Key": key(artist, song)})


def text(item: dict[str, Any] | None) -> str | None:
    return item["text"]["S"] if item else None


def versions(db: Database, given: dict[str, Any], **options: Any) -> list[tuple[str | None, str | None]]:
    found = db.ask("item_changes", "music", given, **options)["changes"]
    return [(text(each["before"]), text(each["after"])) for each in found]


def states(db: Database, given: dict[str, Any], *times: float, **options: Any) -> list[list[str | None]]:
    return [
        [text(each) for each in row] for row in db.ask("items_at", "music", given, times, **options)["items"]
    ]


def test_an_item_has_a_version_for_each_change(db: Database) -> None:
    put(db, "nina", "a", "first")
    put(db, "nina", "b", "another item")
    put(db, "nina", "a", "second")
    delete(db, "nina", "a")
    assert versions(db, key("nina", "a")) == [("second", None), ("first", "second"), (None, "first")]
    times = [each["at"] for each in db.ask("item_changes", "music", key("nina", "a"))["changes"]]
    assert times == [START + 50, START + 40, START + 20]


def test_the_item_before_recovery_was_enabled_is_the_first_version(db: Database) -> None:
    put(db, "nina", "old", "after")
    assert versions(db, key("nina", "old")) == [("before recovery", "after")]


def test_a_partition_has_the_changes_of_its_items(db: Database) -> None:
    put(db, "nina", "a", "1")
    put(db, "ella", "a", "2")
    put(db, "nina", "b", "3")
    assert versions(db, {"artist": {"S": "nina"}}) == [(None, "3"), (None, "1")]
    assert versions(db, {}) == [(None, "3"), (None, "2"), (None, "1")]
    changed = db.ask("item_changes", "music", {})["changes"][1]
    assert changed["key"] == key("ella", "a")


def test_changes_until_a_time(db: Database) -> None:
    for number in range(4):
        put(db, "nina", "a", str(number))
    assert versions(db, key("nina", "a"), until=START + 30) == [("0", "1"), (None, "0")]


def test_pages_of_changes_are_complete_within_one_millisecond(db: Database) -> None:
    for number in range(5):
        db.call("PutItem", {"TableName": "music", "Item": key("nina", "a") | {"text": {"S": str(number)}}})
    found: list[tuple[str | None, str | None]] = []
    before = None
    while True:
        page = db.ask("item_changes", "music", key("nina", "a"), before=before, limit=2)
        found += [(text(each["before"]), text(each["after"])) for each in page["changes"]]
        if page["complete"]:
            break
        before = page["changes"][-1]["sequence"]
    assert found == [("3", "4"), ("2", "3"), ("1", "2"), ("0", "1"), (None, "0")]


def test_binary_values_are_bytes(db: Database) -> None:
    db.call("PutItem", {"TableName": "music", "Item": key("nina", "a") | {"cover": {"B": b"\x00\xff"}}})
    (change,) = db.ask("item_changes", "music", key("nina", "a"))["changes"]
    assert change["after"]["cover"] == {"B": b"\x00\xff"}


def test_a_binary_and_a_numeric_key_find_their_item(db: Database) -> None:
    db.call("CreateTable", request_of("files", "hash part | hash:B part:N"))
    specification = {"PointInTimeRecoveryEnabled": True}
    request = {"TableName": "files", "PointInTimeRecoverySpecification": specification}
    db.call("UpdateContinuousBackups", request)
    item = {"hash": {"B": b"\x00\xff"}, "part": {"N": "10"}}
    db.call("PutItem", {"TableName": "files", "Item": item})
    given: dict[str, Any] = {"hash": {"B": b"\x00\xff"}, "part": {"N": "1e1"}}
    (change,) = db.ask("item_changes", "files", given)["changes"]
    assert change["key"] == change["after"] == item
    assert db.ask("items_at", "files", {"hash": given["hash"]}, [db.clock.now()])["items"] == [[item]]


def test_an_item_as_of_a_time(db: Database) -> None:
    put(db, "nina", "a", "first")  # at 20
    put(db, "nina", "a", "second")  # at 30
    delete(db, "nina", "a")  # at 40
    assert states(db, key("nina", "a"), START + 20, START + 35, START + 40) == [["first", "second", None]]
    assert states(db, key("nina", "a"), START + 10, START + 19.999) == []


def test_a_partition_as_of_two_times(db: Database) -> None:
    put(db, "nina", "a", "1")  # at 20
    put(db, "nina", "b", "2")  # at 30
    put(db, "nina", "a", "3")  # at 40
    put(db, "ella", "a", "other")
    delete(db, "nina", "b")  # at 60
    now = db.clock.now()
    assert states(db, {"artist": {"S": "nina"}}, START + 30, now) == [
        ["1", "3"],
        ["2", None],
        ["before recovery", "before recovery"],
    ]
    assert states(db, {"artist": {"S": "nina"}}, now, START + 30)[0] == ["3", "1"]


def test_pages_of_a_partition_have_every_item_once(db: Database) -> None:
    for name in "abcdefg":
        put(db, "nina", name, name)
    at = db.clock.now()
    for name in "bdf":
        delete(db, "nina", name)
    found: list[str | None] = []
    start = None
    while True:
        page = db.ask("items_at", "music", {"artist": {"S": "nina"}}, [at], start=start, limit=2)
        found += [text(each) for (each,) in page["items"]]
        start = page["next"]
        if start is None:
            break
    assert found == [*"abcdefg", "before recovery"]


def test_changes_of_an_earlier_recovery_period_are_not_shown(db: Database) -> None:
    put(db, "nina", "a", "first")
    recover(db, enabled=False)
    put(db, "nina", "a", "not recorded")
    recover(db, enabled=True)
    put(db, "nina", "a", "last")
    assert versions(db, key("nina", "a")) == [("not recorded", "last")]


def test_changes_older_than_the_recovery_period_are_not_shown(db: Database) -> None:
    put(db, "nina", "a", "first")
    db.clock.advance(35 * DAY + 1)
    put(db, "nina", "a", "last")
    assert versions(db, key("nina", "a")) == [("first", "last")]


def test_a_table_without_recovery_is_an_error(db: Database) -> None:
    recover(db, enabled=False)
    with pytest.raises(PointInTimeRecoveryUnavailable, match="not enabled for table 'music'"):
        db.ask("item_changes", "music", {})
    with pytest.raises(PointInTimeRecoveryUnavailable, match="not enabled for table 'music'"):
        db.ask("items_at", "music", key("nina", "a"), [START])


def test_an_unknown_table_is_an_error(db: Database) -> None:
    with pytest.raises(ResourceNotFound, match="Table: absent not found"):
        db.ask("item_changes", "absent", {})


@pytest.mark.parametrize(
    "given",
    [
        {"song": {"S": "a"}},
        {"artist": {"N": "1"}},
        {"artist": {"S": ""}},
        {"artist": {"S": "nina"}, "song": {"N": "1"}},
        {"artist": {"S": "x" * 2049}},
    ],
)
def test_a_key_that_the_table_cannot_have_is_an_error(db: Database, given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        db.ask("item_changes", "music", given)


def test_a_time_outside_of_the_recovery_period_is_an_error(db: Database) -> None:
    for time in (START - 1, db.clock.now() + 1):
        with pytest.raises(ValidationError, match="not in the recovery window"):
            db.ask("items_at", "music", key("nina", "a"), [time])


def test_items_at_needs_a_partition(db: Database) -> None:
    with pytest.raises(ValidationError, match="does not match the schema"):
        db.ask("items_at", "music", {}, [db.clock.now()])


def test_a_wrong_sequence_number_is_an_error(db: Database) -> None:
    with pytest.raises(ValidationError, match="'x' is not a sequence number"):
        db.ask("item_changes", "music", {}, before="x")


def test_a_long_journal_is_searched_in_part(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_history, "MOST_ENTRIES", 3)
    put(db, "nina", "a", "first")
    for _ in range(3):
        put(db, "ella", "a", "x")
    found = db.ask("item_changes", "music", key("nina", "a"))
    assert (found["changes"], found["complete"], found["since"]) == ([], False, START + 20)
    with pytest.raises(ValidationError, match="more than 3 changes since that time"):
        db.ask("items_at", "music", key("nina", "a"), [START + 10])
