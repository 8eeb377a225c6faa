"""Job records: documents about backups, exports, imports, bulk operations and their jobs.

BACKUPS   kind, key  ->  the document as JSON
"""

from collections.abc import Iterator
from typing import Any, Literal

from tablewright.dynamodb.values.key_bytes import after
from tablewright.dynamodb.values.stored_items import StoredItem, decode
from tablewright.engine.core.state.catalog import BACKUPS, note_features
from tablewright.engine.storage import Transaction, View

Document = dict[str, Any]
Kind = Literal["backup", "export", "import", "bulk-operation", "job", "token", "orphan"]


def find(rows: View, kind: Kind, key: str) -> Document | None:
    """The document of that kind and key."""
    row = rows.get(BACKUPS, _row_key(kind, key))
    return decode(row.raw) if row else None


def save(rows: Transaction, kind: Kind, key: str, document: Document) -> None:
    """Write a document; replaces one with the same key."""
    note_features(rows, (kind, document["Kind"]) if kind == "job" else (kind,))
    rows.put(BACKUPS, _row_key(kind, key), StoredItem.of(document, 0))


def remove(rows: Transaction, kind: Kind, key: str) -> None:
    """Delete a document."""
    rows.delete(BACKUPS, _row_key(kind, key))


def each(rows: View, kind: Kind) -> Iterator[tuple[str, Document]]:
    """All documents of a kind with their keys, in order."""
    prefix = _row_key(kind, "")
    for row_key, row in rows.range(BACKUPS, prefix, after(prefix)):
        yield row_key[len(prefix) :].decode(), decode(row.raw)


def _row_key(kind: str, key: str) -> bytes:
    return f"{kind}\0{key}".encode()
