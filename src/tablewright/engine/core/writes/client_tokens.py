"""Client tokens: a transaction that is sent again within ten minutes is not applied a second time.

Tokens are kept in the store, so they survive a restart. Each has two rows: one by its name, and one by the time it
was used, by which old tokens are found and deleted.
"""

from typing import NamedTuple

from tablewright.dynamodb.values.stored_items import StoredItem, decode, encode
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import TOKENS
from tablewright.errors import IdempotentParameterMismatch

SPAN = 600.0
"""Seconds for which a token is kept."""
_BY_NAME = b"n"
_BY_TIME = b"t"
_LONGEST_SWEEP = 100


class Token(NamedTuple):
    """A client's token, and the fingerprint of its request."""

    name: str
    fingerprint: str


def recall(tx: Writing, token: Token) -> bool:
    """Whether the same request was applied before; raises when the token was used with another request."""
    row = tx.rows.get(TOKENS, _BY_NAME + token.name.encode())
    if row is None:
        return False
    fingerprint, used = decode(row.raw)
    if tx.now() - used >= SPAN:
        return False
    if fingerprint != token.fingerprint:
        raise IdempotentParameterMismatch(
            "DynamoDB rejected the request because you retried a request with a different payload but with an "
            "idempotent token that was already used."
        )
    return True


def remember(tx: Writing, token: Token) -> None:
    """Store the token of an applied request, and delete some expired tokens."""
    now = tx.now()
    forget_old(tx)
    name = token.name.encode()
    tx.rows.put(TOKENS, _BY_NAME + name, StoredItem(encode([token.fingerprint, now]), 0))
    tx.rows.put(TOKENS, _time_key(now) + name, StoredItem(name, 0))


def has_old(tx: Reading) -> bool:
    """Whether there are expired tokens."""
    return any(True for _ in tx.rows.range(TOKENS, _BY_TIME, _time_key(tx.now() - SPAN)))


def forget_old(tx: Writing) -> None:
    """Delete some expired tokens."""
    expired_before = tx.now() - SPAN
    old = zip(tx.rows.range(TOKENS, _BY_TIME, _time_key(expired_before)), range(_LONGEST_SWEEP), strict=False)
    for (key, row), _ in list(old):
        tx.rows.delete(TOKENS, key)
        by_name = _BY_NAME + row.raw
        entry = tx.rows.get(TOKENS, by_name)
        if entry is not None and decode(entry.raw)[1] <= expired_before:
            tx.rows.delete(TOKENS, by_name)


def _time_key(at: float) -> bytes:
    return _BY_TIME + max(int(at * 1000), 0).to_bytes(8, "big")
