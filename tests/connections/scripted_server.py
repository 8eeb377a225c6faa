"""A server that sends what a test has written down: whole replies, pieces, or nothing."""

import socket
import ssl
import threading
from types import TracebackType
from typing import Self
from zlib import crc32

Pieces = tuple[bytes, ...]


def http_reply(body: bytes, status: int = 200, *, checksum: bool = True, more: str = "") -> bytes:
    """A reply as DynamoDB sends it."""
    head = (
        f"HTTP/1.1 {status} OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: {len(body)}\r\n"
    )
    crc = f"x-amz-crc32: {crc32(body)}\r\n" if checksum else ""
    return f"{head}{crc}{more}\r\n".encode() + body


class ScriptedServer:
    """Sends the replies one after the other, and the last one again and again.

    A reply is `bytes`, or the pieces that are sent one by one. The connection is closed after a reply that ends with
    the piece `CLOSE`. `requests` has the head and the body of each request, `connections` counts the connections.
    """

    CLOSE = b""

    def __init__(self, *replies: bytes | Pieces, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self._replies = [reply if isinstance(reply, tuple) else (reply,) for reply in replies]
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self.requests: list[tuple[str, bytes]] = []
        self.connections = 0
        self.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        for each in self._sockets:
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._sockets.append(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        if self._tls is not None:
            try:
                client = self._tls.wrap_socket(client, server_side=True)
            except OSError:  # the client does not trust the certificate
                return
            self._sockets.append(client)
        received = client.makefile("rb")
        try:
            while request := self._read(received):
                with self._lock:
                    self.requests.append(request)
                    reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
                for piece in reply:
                    client.sendall(piece)
                if reply[-1:] == (self.CLOSE,):
                    return
        except OSError:
            return
        finally:
            received.close()
            client.close()

    @staticmethod
    def _read(received: object) -> tuple[str, bytes] | None:
        lines: list[str] = []
        while line := received.readline():  # type: ignore[attr-defined]
            if line == b"\r\n":
                length = next(
                    int(each.split(":")[1]) for each in lines if each.lower().startswith("content-length")
                )
                return "\r\n".join(lines), received.read(length)  # type: ignore[attr-defined]
            lines.append(line.decode().rstrip())
        return None
