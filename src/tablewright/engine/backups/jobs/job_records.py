"""Documents: what is known of backups, exports, imports, and the jobs that make them.

BACKUPS   kind, key  ->  the document as JSON
"""

from collections.abc import Iterator
from typing import Any, Literal

from tablewright.engine.state.catalog import BACKUPS
from tablewright.storage import Transaction, View
from tablewright.values.key_bytes import after
from tablewright.values.stored_items import StoredItem, decode

Document = dict[str, Any]
Kind = Literal["backup", "export", "import", "job", "token", "orphan"]


def find(rows: View, kind: Kind, key: str) -> Document | None:
    """The document of that kind and key."""
    row = rows.get(BACKUPS, _place(kind, key))
    return decode(row.raw) if row else None


def save(rows: Transaction, kind: Kind, key: str, document: Document) -> None:
    """Write a document, in place of the one with the same key."""
    rows.put(BACKUPS, _place(kind, key), StoredItem.of(document, 0))


def remove(rows: Transaction, kind: Kind, key: str) -> None:
    """Take a document away."""
    rows.delete(BACKUPS, _place(kind, key))


def each(rows: View, kind: Kind) -> Iterator[tuple[str, Document]]:
    """All documents of a kind with their keys, in order."""
    prefix = _place(kind, "")
    for place, row in rows.range(BACKUPS, prefix, after(prefix)):
        yield place[len(prefix) :].decode(), decode(row.raw)


def _place(kind: str, key: str) -> bytes:
    return f"{kind}\0{key}".encode()
