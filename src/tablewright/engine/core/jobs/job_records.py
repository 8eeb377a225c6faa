"""Job records: documents about backups, exports, imports, bulk operations and their jobs.

BACKUPS   kind, key  ->  the document as JSON

Client tokens of exports, imports and bulk operations.

For eight hours, a repeated request gets the reply of the first.
"""

from collections.abc import Iterator
from typing import Any, Literal

from tablewright.dynamodb.values.key_bytes import after
from tablewright.dynamodb.values.stored_items import StoredItem, decode
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import BACKUPS, note_features
from tablewright.engine.storage import ReadView, Transaction

Document = dict[str, Any]
Kind = Literal["backup", "export", "import", "bulk-operation", "job", "token", "orphan"]


def find(rows: ReadView, kind: Kind, key: str) -> Document | None:
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


def documents(rows: ReadView, kind: Kind) -> Iterator[tuple[str, Document]]:
    """All documents of a kind with their keys, in order."""
    prefix = _row_key(kind, "")
    for row_key, row in rows.range(BACKUPS, prefix, after(prefix)):
        yield row_key[len(prefix) :].decode(), decode(row.raw)


def _row_key(kind: str, key: str) -> bytes:
    return f"{kind}\0{key}".encode()


LIFETIME = 8 * 3600
TokenKind = Literal["export", "import", "bulk-operation"]


def recall(tx: Reading, kind: TokenKind, token: str | None) -> dict[str, Any] | None:
    """The data saved with a token, or None if the token is new or expired."""
    saved = find(tx.rows, "token", f"{kind}\0{token}") if token else None
    return saved if saved is not None and tx.now() - saved["Used"] < LIFETIME else None


def remember(tx: Writing, kind: TokenKind, token: str, saved: dict[str, Any]) -> None:
    """Save data with a token, and delete expired tokens."""
    now = tx.now()
    for key, document in list(documents(tx.rows, "token")):
        if now - document["Used"] >= LIFETIME:
            remove(tx.rows, "token", key)
    save(tx.rows, "token", f"{kind}\0{token}", saved | {"Used": now})
