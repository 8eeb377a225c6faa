"""Stream settings: streams are opened and closed with their tables, and contradictory requests are rejected."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ValidationError
from tests.engine.table_cases import request_of

ON = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
MUSIC = request_of("music", "artist | artist:S")


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock(start=1_700_000_000))
    yield database
    database.close()


def update(db: Database, **stream: Any) -> dict[str, Any]:
    request = {"TableName": "music", "StreamSpecification": stream}
    return db.call("UpdateTable", request)["TableDescription"]  # type: ignore[no-any-return]


def test_a_table_is_created_with_its_stream(db: Database) -> None:
    shown = db.call("CreateTable", {**MUSIC, "StreamSpecification": ON})["TableDescription"]
    assert shown["StreamSpecification"] == ON
    assert shown["LatestStreamArn"] == f"{shown['TableArn']}/stream/2023-11-14T22:13:20.000"


@pytest.mark.parametrize(
    ("stream", "on_creation", "on_update"),
    [
        ({"StreamEnabled": True}, "stream enabled, UpdateViewType is required", "If stream is being enabled"),
        (
            {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"},
            "UpdateViewType should not be specified",
            "If stream is being disabled",
        ),
    ],
)
def test_contradictory_members_are_rejected(
    db: Database, stream: dict[str, Any], on_creation: str, on_update: str
) -> None:
    with pytest.raises(ValidationError, match=on_creation):
        db.call("CreateTable", {**MUSIC, "StreamSpecification": stream})
    db.call("CreateTable", MUSIC)
    with pytest.raises(ValidationError, match=on_update):
        update(db, **stream)


def test_a_stream_is_enabled_and_disabled_once(db: Database) -> None:
    db.call("CreateTable", MUSIC)
    with pytest.raises(ValidationError, match="Table has no stream to disable: TableName: music"):
        update(db, StreamEnabled=False)
    update(db, **ON)
    with pytest.raises(ValidationError, match="Table already has an enabled stream: TableName: music"):
        update(db, **ON)


def test_each_enabling_creates_a_new_stream_even_with_a_frozen_clock(db: Database) -> None:
    db.call("CreateTable", MUSIC)
    labels = []
    for view in ("KEYS_ONLY", "NEW_IMAGE"):
        shown = update(db, StreamEnabled=True, StreamViewType=view)
        assert shown["TableStatus"] == "UPDATING"
        assert shown["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": view}
        labels.append(shown["LatestStreamLabel"])
        update(db, StreamEnabled=False)
        settled = db.call("DescribeTable", {"TableName": "music"})["Table"]
        assert "StreamSpecification" not in settled
        assert settled["LatestStreamLabel"] == labels[-1]
    assert labels == ["2023-11-14T22:13:20.000", "2023-11-14T22:13:20.001"]
    entries = db.state.catalog.table("music").definition["Streams"]
    assert [entry["ViewType"] for entry in entries] == ["KEYS_ONLY", "NEW_IMAGE"]
    assert all(entry["Closed"] is not None for entry in entries)
