"""HTTP by hand: what is sent is exactly what a test says, and what comes back is split into replies."""

import json
import socket
import zlib
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

JSON = "application/x-amz-json-1.0"
PATIENCE = 20.0


@dataclass(frozen=True)
class Answer:
    """One reply, taken apart."""

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


class Line:
    """One connection."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, timeout=PATIENCE)
        self._file = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self) -> Answer | None:
        """The next reply; None when the server has closed the connection."""
        status = self._file.readline()
        if not status:
            return None
        headers = {}
        while (text := self._file.readline().strip()) != b"":
            name, _, value = text.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = self._file.read(int(headers.get("content-length", "0")))
        return Answer(int(status.split()[1]), headers, body)

    def ask(self, data: bytes) -> Answer:
        """Send something that is answered."""
        self.send(data)
        answer = self.receive()
        assert answer is not None, "the server closed the connection without an answer"
        return answer

    def call(self, operation: str, request: Any, **headers: str) -> Answer:
        """An operation, unsigned."""
        return self.ask(post(operation, json.dumps(request).encode(), **headers))


def post(operation: str | None, body: bytes = b"{}", *, path: str = "/", **headers: str) -> bytes:
    """A request; an underscore in a header's name is a dash, and a header given as empty text is left out."""
    target = f"DynamoDB_20120810.{operation}" if operation else ""
    wanted = {
        "Host": "localhost",
        "Content-Type": JSON,
        "X-Amz-Target": target,
        "Content-Length": str(len(body)),
    }
    wanted |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in wanted.items() if value)
    return f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + body


def chunked(operation: str, pieces: list[bytes]) -> bytes:
    """A request whose body comes in chunks."""
    head = post(operation, b"", Content_Length="", Transfer_Encoding="chunked")
    return head + b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in [*pieces, b""])
