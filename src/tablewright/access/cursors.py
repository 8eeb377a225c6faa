"""Cursors: the end of a page, as text that a client can pass to read the next page.

    version, then base64 of: proof, binding (8 bytes), the position as compressed JSON

The binding is a digest of the request without its position and limit: pattern, table, index, parameters. So a
cursor continues only the read that it came from; any other read rejects it.

The proof is an HMAC when the repository has a `cursor_key`: then a client cannot make or change a cursor. Without a key
it is a checksum, and a client can make a cursor with any position. Such a cursor cannot leave the partition of its
read: the position has only the key attributes that the pattern leaves open, and the request gives the others.

A cursor is opaque, not secret: a client can decode the position.
"""

import hmac
import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, TypeAlias

from tablewright.dynamodb.values.stored_items import fingerprint
from tablewright.errors import BadCursor, UsageError

UNSIGNED = "2"
SIGNED = "s"
SHORTEST_KEY = 16
"""The least number of bytes in a `cursor_key`."""
_CHECKSUM, _SIGNATURE, _BINDING = 8, 16, 8
_UNBOUND = ("ExclusiveStartKey", "Limit", "ReturnConsumedCapacity")
_MOST_BYTES = 1 << 20

Position: TypeAlias = Any
"""Where a read continues, as JSON."""
CursorKey: TypeAlias = str | bytes | Sequence[str | bytes]
"""A secret of at least 16 bytes, or several: the first one signs, all are accepted."""


class Cursors:
    """Makes and reads the cursors of one repository.

    >>> cursors = Cursors("a secret of the server")
    >>> cursor = cursors.make(b"binding1", ["7"])
    >>> cursors.read(b"binding1", cursor, "Orders")
    ['7']
    """

    __slots__ = ("_keys",)

    def __init__(self, key: CursorKey = ()) -> None:
        secrets = [key] if isinstance(key, str | bytes) else key
        self._keys = tuple(
            secret.encode() if isinstance(secret, str) else bytes(secret) for secret in secrets
        )
        if any(len(secret) < SHORTEST_KEY for secret in self._keys):
            raise UsageError(
                f"cursor_key has fewer than {SHORTEST_KEY} bytes; make one with secrets.token_hex(32)"
            )

    def make(self, binding: bytes, position: Position) -> str:
        """Return the cursor of a position."""
        text = json.dumps(position, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass")
        body = binding + zlib.compress(text, 9)
        if self._keys:
            return _text_of(SIGNED, _signature(self._keys[0], body) + body)
        return _text_of(UNSIGNED, _checksum(body) + body)

    def read(self, binding: bytes, cursor: str, name: str) -> Position:
        """Return the position in a cursor; raise `BadCursor` when the cursor is not one of this read."""
        if not isinstance(cursor, str) or not cursor:
            raise BadCursor("a cursor must be the text of a page's `cursor`")
        body = self._proven_body(cursor)
        if body[:_BINDING] != binding:
            raise BadCursor(
                f"the cursor belongs to another pattern or to other parameters than this {name}; "
                "start again from the first page"
            )
        return _position(body[_BINDING:])

    def _proven_body(self, cursor: str) -> bytes:
        version = cursor[0]
        if version not in (UNSIGNED, SIGNED):
            raise BadCursor("the cursor is damaged or has another version; start again from the first page")
        if (version == SIGNED) != bool(self._keys):
            problem = "is not signed" if self._keys else "is signed, and the repository has no cursor_key"
            raise BadCursor(f"the cursor {problem}; start again from the first page")
        try:
            whole = urlsafe_b64decode(cursor[1:] + "=" * (-len(cursor[1:]) % 4))
        except (NotBase64, ValueError):
            whole = b""
        size = _SIGNATURE if self._keys else _CHECKSUM
        proof, body = whole[:size], whole[size:]
        if len(body) < _BINDING or not self._is_proven(proof, body) or _text_of(version, whole) != cursor:
            raise damaged()
        return body

    def _is_proven(self, proof: bytes, body: bytes) -> bool:
        if not self._keys:
            return proof == _checksum(body)
        return any(hmac.compare_digest(proof, _signature(key, body)) for key in self._keys)


def binding_of(pattern: str, request: dict[str, Any]) -> bytes:
    """Return the digest of a pattern's request, without its position and limit."""
    bound = {name: member for name, member in request.items() if name not in _UNBOUND}
    return bytes.fromhex(fingerprint([pattern, bound]))[:_BINDING]


def joint_binding(kind: str, bindings: Sequence[bytes]) -> bytes:
    """Return the digest of a read that combines several."""
    return blake2b(b"".join(bindings), digest_size=_BINDING, person=kind.encode()).digest()


def damaged() -> BadCursor:
    """Return the error for a cursor whose content cannot be used."""
    return BadCursor("the cursor is damaged; start again from the first page")


def _position(compressed: bytes) -> Position:
    """Return the position. A client can make an unsigned cursor with any content, so each reader checks it."""
    try:
        unpacked = zlib.decompressobj()
        text = unpacked.decompress(compressed, _MOST_BYTES)
        if not unpacked.eof or unpacked.unused_data:
            raise damaged()
        return json.loads(text.decode(errors="surrogatepass"))
    except (ValueError, RecursionError, zlib.error):
        raise damaged() from None


def _text_of(version: str, whole: bytes) -> str:
    """Return the only accepted text of a cursor's bytes."""
    return version + urlsafe_b64encode(whole).decode().rstrip("=")


def _signature(key: bytes, body: bytes) -> bytes:
    return hmac.digest(key, body, "sha256")[:_SIGNATURE]


def _checksum(body: bytes) -> bytes:
    return blake2b(body, digest_size=_CHECKSUM, person=b"tw-cursor").digest()
