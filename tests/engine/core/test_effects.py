"""The effects of a change: rows, index rows, tallies, expiry, stream and journal, in one transaction."""

from dataclasses import replace
from typing import Any

import pytest

from tablewright.engine.core.sessions import EFFECTS, Reading
from tablewright.engine.core.state.catalog import EXPIRY, JOURNAL, RECORDS
from tablewright.engine.database import Database
from tests.engine.core.operations.music_table import START, enable_recovery, item, open_music

INDEX = {
    "IndexName": "by-song",
    "KeySchema": [{"AttributeName": "song", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}


def prepared(db: Database) -> None:
    """Give the table an index, a stream, a TTL attribute and a journal."""
    update: dict[str, Any] = {
        "TableName": "music",
        "AttributeDefinitions": [{"AttributeName": "song", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": INDEX}],
    }
    db.call("UpdateTable", update)
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    db.call("UpdateTable", {"TableName": "music", "StreamSpecification": stream})
    ttl = {"AttributeName": "ends", "Enabled": True}
    db.call("UpdateTimeToLive", {"TableName": "music", "TimeToLiveSpecification": ttl})
    enable_recovery(db)


def counts(db: Database) -> dict[str, int]:
    table = db.state.catalog.table("music")
    spaces = {
        "items": table.space,
        "index": table.indexes[0].space,
        "expiry": EXPIRY,
        "stream": RECORDS,
        "journal": JOURNAL,
    }

    def count(tx: Reading) -> dict[str, int]:
        return {name: tx.rows.totals(space)[0] for name, space in spaces.items()}

    return db.sessions.read(count)


def test_a_put_has_every_effect_and_a_delete_undoes_what_can_be_undone() -> None:
    with open_music() as db:
        prepared(db)
        content = {**item("nina", song="ballad"), "ends": {"N": str(START + 60)}}
        db.call("PutItem", {"TableName": "music", "Item": content})
        assert counts(db) == {"items": 1, "index": 1, "expiry": 1, "stream": 1, "journal": 1}
        db.call("DeleteItem", {"TableName": "music", "Key": {"artist": {"S": "nina"}}})
        assert counts(db) == {"items": 0, "index": 0, "expiry": 0, "stream": 2, "journal": 2}


def test_an_index_row_moves_with_its_key() -> None:
    with open_music() as db:
        prepared(db)
        for song in ("first", "second"):
            db.call("PutItem", {"TableName": "music", "Item": item("nina", song=song)})
        found = db.call("Scan", {"TableName": "music", "IndexName": "by-song"})["Items"]
        assert found == [item("nina", song="second")]
        described = db.call("DescribeTable", {"TableName": "music"})["Table"]
        assert described["GlobalSecondaryIndexes"][0]["ItemCount"] == 1


@pytest.mark.parametrize("failing", range(1, len(EFFECTS)))
def test_when_one_effect_fails_none_is_kept(failing: int) -> None:
    with open_music() as db:
        prepared(db)
        before = counts(db)
        db.state.effects = (*EFFECTS[:failing], fail, *EFFECTS[failing + 1 :])
        with pytest.raises(Exception, match="unknown error"):
            db.call("PutItem", {"TableName": "music", "Item": item("nina", song="ballad")})
        assert counts(db) == before


@pytest.mark.parametrize("failing", range(3))
def test_when_an_effect_of_a_feature_fails_none_is_kept(failing: int) -> None:
    with open_music() as db:
        prepared(db)
        table = db.state.catalog.table("music")
        assert len(table.effects) == 3
        before = counts(db)
        effects = (*table.effects[:failing], fail, *table.effects[failing + 1 :])
        db.state.catalog._tables["music"] = replace(table, effects=effects)
        with pytest.raises(Exception, match="unknown error"):
            db.call("PutItem", {"TableName": "music", "Item": item("nina", song="ballad")})
        assert counts(db) == before


def fail(*_: object) -> None:
    raise RuntimeError
