"""Raw HTTP: a test sends exact bytes, and receives parsed replies."""

import json
import socket
import zlib
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

JSON = "application/x-amz-json-1.0"
TIMEOUT_SECONDS = 20.0
STREAMS_OPERATIONS = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")


@dataclass(frozen=True)
class Reply:
    """One parsed reply."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def kind(self) -> str:
        """The error's name, without its namespace."""
        return str(self.json()["__type"]).partition("#")[2]

    @property
    def has_good_checksum(self) -> bool:
        return int(self.headers["x-amz-crc32"]) == zlib.crc32(self.body)


class RawConnection:
    """One connection to the server."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, timeout=TIMEOUT_SECONDS)
        self._file = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self) -> Reply | None:
        """The next reply; None when the server has closed the connection."""
        status = self._file.readline()
        if not status:
            return None
        headers = {}
        while (text := self._file.readline().strip()) != b"":
            name, _, value = text.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = self._file.read(int(headers.get("content-length", "0")))
        return Reply(int(status.split()[1]), headers, body)

    def ask(self, data: bytes) -> Reply:
        """Send a request and return the reply."""
        self.send(data)
        reply = self.receive()
        assert reply is not None, "the server closed the connection without a reply"
        return reply

    def call(self, operation: str, request: Any, **headers: str) -> Reply:
        """Send an unsigned request of an operation."""
        return self.ask(post(operation, json.dumps(request).encode(), **headers))


def post(operation: str | None, body: bytes = b"{}", *, path: str = "/", **headers: str) -> bytes:
    """Return a request. Underscores in header names become dashes; headers with an empty value are left out."""
    api = "DynamoDBStreams_20120810" if operation in STREAMS_OPERATIONS else "DynamoDB_20120810"
    target = f"{api}.{operation}" if operation else ""
    sent = {
        "Host": "localhost",
        "Content-Type": JSON,
        "X-Amz-Target": target,
        "Content-Length": str(len(body)),
    }
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items() if value)
    return f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + body


def chunked(operation: str, pieces: list[bytes]) -> bytes:
    """A request whose body comes in chunks."""
    head = post(operation, b"", Content_Length="", Transfer_Encoding="chunked")
    return head + b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in [*pieces, b""])
