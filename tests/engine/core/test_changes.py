"""Changes: every operation that writes an item goes through one `Change`."""

from typing import Any

import pytest

from tablewright.engine.core.changes import Change
from tablewright.engine.core.sessions import Writing
from tests.engine.core.operations.music_table import item, open_music, put

KEY = {"artist": {"S": "nina"}}
WRITES: list[tuple[str, dict[str, Any]]] = [
    ("PutItem", {"TableName": "music", "Item": item("nina", song="new")}),
    (
        "UpdateItem",
        {
            "TableName": "music",
            "Key": KEY,
            "UpdateExpression": "SET song = :s",
            "ExpressionAttributeValues": {":s": {"S": "new"}},
        },
    ),
    ("BatchWriteItem", {"RequestItems": {"music": [{"PutRequest": {"Item": item("nina", song="new")}}]}}),
    (
        "TransactWriteItems",
        {"TransactItems": [{"Put": {"TableName": "music", "Item": item("nina", song="new")}}]},
    ),
    ("ExecuteStatement", {"Statement": "UPDATE music SET song = 'new' WHERE artist = 'nina'"}),
]


@pytest.mark.parametrize(("operation", "request_"), WRITES, ids=[name for name, _ in WRITES])
def test_all_operations_make_the_same_change(
    operation: str, request_: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Change] = []
    apply = Writing.apply

    def watched(tx: Writing, change: Change, meter: Any = None) -> None:
        seen.append(change)
        apply(tx, change, meter)

    with open_music() as db:
        put(db, "nina")
        monkeypatch.setattr(Writing, "apply", watched)
        db.call(operation, request_)
    (change,) = seen
    assert change.old is not None
    assert change.new is not None
    assert change.old.attributes == item("nina")
    assert change.new.attributes == item("nina", song="new")
    assert (change.table.name, change.expired) == ("music", False)
