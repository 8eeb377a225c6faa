"""Changes: every operation that writes an item goes through one `ItemChange`."""

import re
from pathlib import Path
from typing import Any

import pytest

import tablewright.engine
from tablewright.engine.core.changes import ItemChange
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
    seen: list[ItemChange] = []
    apply = Writing.apply

    def watched(tx: Writing, change: ItemChange, meter: Any = None) -> None:
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


WRITERS = {
    "core/collection_sizes.py": "sizes of item collections, by the effect that maintains indexes",
    "core/jobs/index_fills.py": "indexes that cannot be read yet",
    "core/jobs/job_records.py": "documents about jobs",
    "core/jobs/row_removals.py": "removal of the rows of deleted tables and indexes",
    "core/sessions.py": "the items and index rows of changes, removal of a space",
    "core/state/catalog.py": "definitions",
    "core/writes/transactions.py": "client tokens",
    "features/backups/change_journal.py": "journal",
    "features/backups/row_copies.py": "copies in a space that no table shows yet",
    "features/exports/incremental_export.py": "a space of the export's own",
    "features/kinesis/outbox.py": "outbox",
    "features/replicas/received_changes.py": "versions of items",
    "features/replicas/versions.py": "versions of items",
    "features/streams/stream_records.py": "stream records",
    "features/ttl/expiry_sweeps.py": "expiry times",
    "features/vectors/vector_index.py": "the rows of vector indexes, by their effect",
    "salvage.py": "a new file, before it is opened as a database",
}
"""The modules that write rows, each with what they write."""


def test_only_known_modules_write_rows() -> None:
    engine = Path(tablewright.engine.__path__[0])
    call = re.compile(r"\b(rows\.(put|delete|delete_range|copy|drop_space)|tx\.(put|delete))\(")
    writers = {
        str(path.relative_to(engine))
        for path in engine.rglob("*.py")
        if "storage" not in path.relative_to(engine).parts and call.search(path.read_text())
    }
    assert writers == set(WRITERS)
