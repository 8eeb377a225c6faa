"""UpdateTimeToLive and DescribeTimeToLive: one attribute at a time."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ResourceNotFound
from tests.engine.core.operations.music_table import open_music
from tests.engine.table_cases import outcome_of, play, request_of


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store())
    yield database
    database.close()


def specification(attribute: str, *, enabled: bool) -> dict[str, object]:
    request = {"AttributeName": attribute, "Enabled": enabled}
    return {"TableName": "music", "TimeToLiveSpecification": request}


def test_golden_cases(db: Database, update_golden: bool) -> None:
    play("time_to_live.txt", db, update=update_golden)


def test_the_description_follows_the_updates(tmp_path: Path) -> None:
    db = Database(open_store(tmp_path / "music.db"))
    db.call("CreateTable", request_of("music", "artist | artist:S"))
    off = {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    assert db.call("DescribeTimeToLive", {"TableName": "music"}) == off
    request = specification("ends", enabled=True)
    assert db.call("UpdateTimeToLive", request) == {
        "TimeToLiveSpecification": request["TimeToLiveSpecification"]
    }
    db.close()
    db = Database(open_store(tmp_path / "music.db"))
    shown = db.call("DescribeTimeToLive", {"TableName": "music"})["TimeToLiveDescription"]
    assert shown == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ends"}
    db.call("UpdateTimeToLive", specification("ends", enabled=False))
    assert db.call("DescribeTimeToLive", {"TableName": "music"}) == off
    db.close()


@pytest.mark.parametrize(("length", "accepted"), [(1, True), (254, True), (255, True), (256, False)])
def test_the_attribute_has_up_to_255_characters(db: Database, length: int, accepted: bool) -> None:
    db.call("CreateTable", request_of("music", "artist | artist:S"))
    reply = outcome_of(db, "UpdateTimeToLive", specification("a" * length, enabled=True))
    assert (reply == "ok") is accepted


def test_the_attribute_is_shown_while_ttl_is_enabled() -> None:
    with open_music() as db:
        for enabled, shown in (
            (True, {"TimeToLiveStatus": "ENABLED", "AttributeName": "ends"}),
            (False, {"TimeToLiveStatus": "DISABLED"}),
        ):
            specification = {"AttributeName": "ends", "Enabled": enabled}
            db.call("UpdateTimeToLive", {"TableName": "music", "TimeToLiveSpecification": specification})
            described = db.call("DescribeTimeToLive", {"TableName": "music"})
            assert described == {"TimeToLiveDescription": shown}


def test_an_unknown_table_is_not_found() -> None:
    with open_music() as db, pytest.raises(ResourceNotFound, match="Table: missing not found"):
        db.call("DescribeTimeToLive", {"TableName": "missing"})
