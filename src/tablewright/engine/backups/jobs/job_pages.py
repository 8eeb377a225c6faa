"""Pages of exports and imports, newest first, and the tokens that lead from one to the next.

NextToken   length of the key, the key, zeros up to 56 bytes at least, a checksum; as hexadecimal digits
"""

from hashlib import blake2b

from tablewright.engine.backups.jobs import job_records
from tablewright.engine.backups.jobs.backup_arns import Sort
from tablewright.engine.backups.jobs.job_records import Document
from tablewright.engine.sessions import Reading
from tablewright.errors import ValidationError

USUAL_PAGE = 10
LARGEST_PAGE = 25
LISTED = 90 * 24 * 3600
"""Seconds for which exports and imports are listed."""

_LEAST = 48
_CHECKSUM = 8


def newest(tx: Reading, sort: Sort) -> list[tuple[str, Document]]:
    """All exports or imports of the last 90 days with their keys, newest first."""
    since = tx.now() - LISTED
    found = list(job_records.each(tx.rows, sort))
    return [each for each in reversed(found) if each[1]["Description"]["StartTime"] >= since]


def page_of(
    found: list[tuple[str, Document]], sort: Sort, size: int | None, token: str | None
) -> tuple[list[Document], str | None]:
    """One page, and the token of the next."""
    if token is not None:
        last = _key_of(token, sort)
        found = [each for each in found if each[0] < last]
    page = found[: size or USUAL_PAGE]
    more = _token_of(page[-1][0], sort) if len(found) > len(page) else None
    return [document for _, document in page], more


def _token_of(key: str, sort: Sort) -> str:
    content = key.encode()
    packed = len(content).to_bytes(2, "big") + content
    packed = packed.ljust(max(_LEAST, -(-len(packed) // 8) * 8), b"\0")
    return (packed + _checksum(packed, sort)).hex()


def _key_of(token: str, sort: Sort) -> str:
    refusal = ValidationError(f"Invalid Request: Provided nextToken is invalid: {token}")
    try:
        raw = bytes.fromhex(token)
    except ValueError:
        raise refusal from None
    packed, checksum = raw[:-_CHECKSUM], raw[-_CHECKSUM:]
    if len(packed) < _LEAST or checksum != _checksum(packed, sort):
        raise refusal
    return packed[2 : 2 + int.from_bytes(packed[:2], "big")].decode()


def _checksum(packed: bytes, sort: Sort) -> bytes:
    return blake2b(packed, digest_size=_CHECKSUM, key=sort.encode()).digest()
