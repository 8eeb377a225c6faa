"""An SMTP server on this machine that keeps what it receives."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Inbox(socketserver.ThreadingTCPServer):
    """An SMTP server that keeps what it receives."""

    daemon_threads = True
    lines: list[str]

    @property
    def place(self) -> str:
        """Its host:port."""
        host, port = self.server_address[:2]
        return f"{host!s}:{port}"


class _Session(socketserver.StreamRequestHandler):
    server: Inbox

    def handle(self) -> None:
        self._reply("220 ready")
        for raw in self.rfile:
            line = raw.decode().rstrip()
            self.server.lines.append(line)
            if line.upper() == "DATA":
                self._reply("354 go on")
                while (content := self.rfile.readline().decode().rstrip("\r\n")) != ".":
                    self.server.lines.append(content)
            if line.upper() == "QUIT":
                return self._reply("221 bye")
            self._reply("250 ok")
        return None

    def _reply(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def inbox() -> Iterator[Inbox]:
    """Run the server until the block ends."""
    with Inbox(("127.0.0.1", 0), _Session) as server:
        server.lines = []
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
