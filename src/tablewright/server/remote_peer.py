"""Remote peer: the database of a region in another Tablewright server, called over HTTP with signed requests."""

import threading
import time
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from tablewright.dynamodb.values.stored_items import NotJson, to_json
from tablewright.engine.core.operations import find_operation
from tablewright.engine.features.replicas.replica_progress import reply_of
from tablewright.errors import Unreachable
from tablewright.server.authentication.credentials import Credential
from tablewright.server.authentication.signatures import ALGORITHM, SERVICE, TERMINATOR, Signature, sign
from tablewright.server.http_messages import Request

TIMEOUT = 5.0
"""Seconds that the other server may take for a reply."""
ANONYMOUS = Credential("replica", "replica")
"""The key for a server that does not require signatures: it still reads the region from the signature."""

_SIGNED = ("host", "x-amz-date", "x-amz-target")


class RemotePeer:
    """A region of another server. One request at a time, over one connection that is kept open."""

    def __init__(self, url: str, region: str, credential: Credential = ANONYMOUS) -> None:
        self.url = url
        self._region = region
        self._credential = credential
        self._connection: HTTPConnection | None = None
        self._lock = threading.Lock()

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Execute one request; raises ServiceError, or Unreachable when there is no reply."""
        body = to_json(request)
        with self._lock:
            status, reply = self._send(body, self._headers(operation, body))
        try:
            return reply_of(status, reply)
        except NotJson:
            raise Unreachable(f"{self.url} is not a Tablewright server") from None

    def _send(self, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        # The other server closes idle connections: the second attempt has a new one. All requests can be repeated.
        for is_last in (self._connection is None, True):
            try:
                connection = self._connection = self._connection or self._connect()
                connection.request("POST", "/", body, headers)
                reply = connection.getresponse()
                return reply.status, reply.read()
            except (OSError, HTTPException) as error:
                self._close()
                if is_last:
                    raise Unreachable(f"{self.url} cannot be reached: {error}") from error
        raise AssertionError  # the last attempt returns or raises

    def _connect(self) -> HTTPConnection:
        parts = urlsplit(self.url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=TIMEOUT)

    def close(self) -> None:
        """Close the connection; the next request opens another one."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _headers(self, operation: str, body: bytes) -> dict[str, str]:
        known = find_operation(operation)
        assert known is not None
        now = datetime.fromtimestamp(time.time(), UTC)
        date = now.strftime("%Y%m%dT%H%M%SZ")
        headers = {
            "host": urlsplit(self.url).netloc,
            "x-amz-date": date,
            "x-amz-target": f"{known.api}.{operation}",
        }
        if self._credential.token is not None:
            headers["x-amz-security-token"] = self._credential.token
        scope = f"{date[:8]}/{self._region}/{SERVICE}/{TERMINATOR}"
        credential = f"{self._credential.key_id}/{scope}"
        request = Request(
            b"POST", b"/", {name.encode(): value.encode() for name, value in headers.items()}, body
        )
        unsigned = Signature(ALGORITHM, credential, _SIGNED, "", now.replace(microsecond=0))
        signature = sign(request, self._credential, unsigned, scope)
        return {
            **headers,
            "content-type": "application/x-amz-json-1.0",
            "authorization": (
                f"{ALGORITHM} Credential={credential}, SignedHeaders={';'.join(_SIGNED)}, Signature={signature}"
            ),
        }
