"""Job pages: lists of exports, imports and bulk operations, newest first, and the tokens of further pages.

NextToken   length of the key, the key, zeros up to 56 bytes at least, a checksum; as hexadecimal digits
"""

from hashlib import blake2b

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ResourceKind
from tablewright.engine.core.jobs.job_records import Document
from tablewright.engine.core.sessions import Reading
from tablewright.errors import ValidationError

DEFAULT_PAGE = 10
LARGEST_PAGE = 25
LISTED = 90 * 24 * 3600
"""Seconds for which exports, imports and bulk operations are listed."""

_LEAST = 48
_CHECKSUM = 8


def newest(tx: Reading, kind: ResourceKind) -> list[tuple[str, Document]]:
    """All exports, imports or bulk operations of the last 90 days with their keys, newest first."""
    since = tx.now() - LISTED
    documents = list(job_records.documents(tx.rows, kind))
    return [entry for entry in reversed(documents) if entry[1]["Description"]["StartTime"] >= since]


def page_of(
    entries: list[tuple[str, Document]], kind: ResourceKind, size: int | None, token: str | None
) -> tuple[list[Document], str | None]:
    """One page, and the token of the next."""
    if token is not None:
        last = _key_of(token, kind)
        entries = [entry for entry in entries if entry[0] < last]
    page = entries[: size or DEFAULT_PAGE]
    more = _token_of(page[-1][0], kind) if len(entries) > len(page) else None
    return [document for _, document in page], more


def _token_of(key: str, kind: ResourceKind) -> str:
    content = key.encode()
    packed = len(content).to_bytes(2, "big") + content
    packed = packed.ljust(max(_LEAST, -(-len(packed) // 8) * 8), b"\0")
    return (packed + _checksum(packed, kind)).hex()


def _key_of(token: str, kind: ResourceKind) -> str:
    error = ValidationError(f"Invalid Request: Provided nextToken is invalid: {token}")
    try:
        raw = bytes.fromhex(token)
    except ValueError:
        raise error from None
    packed, checksum = raw[:-_CHECKSUM], raw[-_CHECKSUM:]
    if len(packed) < _LEAST or checksum != _checksum(packed, kind):
        raise error
    return packed[2 : 2 + int.from_bytes(packed[:2], "big")].decode()


def _checksum(packed: bytes, kind: ResourceKind) -> bytes:
    return blake2b(packed, digest_size=_CHECKSUM, key=kind.encode()).digest()
