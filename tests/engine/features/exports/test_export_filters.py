"""Export filters: the rows to read, the items and attributes to write, and filters that are not valid."""

from pathlib import Path

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.reads.key_ranges import EVERYTHING
from tablewright.engine.features.exports.export_filters import filter_of
from tablewright.errors import ValidationError
from tests.engine.archive import archive, create

ITEM = StoredItem.of({"id": {"S": "ada"}, "city": {"S": "Oslo"}}, 13)
VALUES = {":v": {"S": "Oslo"}}


def test_without_a_filter_everything_is_exported(tmp_path: Path) -> None:
    with archive(tmp_path) as db:
        create(db)
        table = db.sessions.read(lambda tx: tx.table("users"))
        assert filter_of(None).span(table) == EVERYTHING
    assert filter_of(None).pick(ITEM) is ITEM


def test_a_condition_picks_items_and_a_projection_picks_attributes() -> None:
    chosen = filter_of(
        {
            "FilterExpression": "city = :v",
            "ExpressionAttributeValues": VALUES,
            "ProjectionExpression": "id",
        }
    )
    picked = chosen.pick(ITEM)
    assert picked is not None
    assert (picked.attributes, picked.size) == ({"id": {"S": "ada"}}, 5)
    assert chosen.pick(StoredItem.of({"id": {"S": "bob"}}, 5)) is None


def test_filters_that_are_not_valid(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="The specification can not be empty"):
        filter_of({})
    chosen = filter_of(
        {
            "KeyConditionExpression": "id = :v",
            "FilterExpression": "id = :v",
            "ExpressionAttributeValues": VALUES,
        }
    )
    with archive(tmp_path) as db:
        create(db)
        table = db.sessions.read(lambda tx: tx.table("users"))
        with pytest.raises(ValidationError, match="Primary key attribute: id"):
            chosen.span(table)
