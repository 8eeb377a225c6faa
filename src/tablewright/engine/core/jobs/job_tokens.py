"""Client tokens of exports, imports and bulk operations.

For eight hours, a repeated request gets the reply of the first.
"""

from typing import Any, Literal

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.sessions import Reading, Writing

LIFETIME = 8 * 3600
TokenKind = Literal["export", "import", "bulk-operation"]


def recall(tx: Reading, kind: TokenKind, token: str | None) -> dict[str, Any] | None:
    """The data saved with a token, or None if the token is new or expired."""
    saved = job_records.find(tx.rows, "token", f"{kind}\0{token}") if token else None
    return saved if saved is not None and tx.now() - saved["Used"] < LIFETIME else None


def remember(tx: Writing, kind: TokenKind, token: str, saved: dict[str, Any]) -> None:
    """Save data with a token, and delete expired tokens."""
    now = tx.now()
    for key, each in list(job_records.each(tx.rows, "token")):
        if now - each["Used"] >= LIFETIME:
            job_records.remove(tx.rows, "token", key)
    job_records.save(tx.rows, "token", f"{kind}\0{token}", saved | {"Used": now})
