"""A small S3 over HTTP: put, get, list (two keys a page) and delete of objects, as boto3 calls them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

PAGE_SIZE = 2


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # it has "100 Continue", for which boto3 waits before it sends a body
    objects: dict[str, bytes]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base class
        pass

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding", "").startswith("aws-chunked"):
            size, _, rest = body.partition(b"\r\n")
            body = rest[: int(size.split(b";")[0], 16)]
        self.objects[self._key()] = body
        self._reply(200)

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        if "list-type" in query:
            return self._list(query)
        stored = self.objects.get(self._key())
        if stored is None:
            return self._reply(404, b"<Error><Code>NoSuchKey</Code><Message>none</Message></Error>")
        return self._reply(200, stored)

    def do_DELETE(self) -> None:
        self.objects.pop(self._key(), None)
        self._reply(204)

    def _list(self, query: dict[str, list[str]]) -> None:
        prefix, after = query["prefix"][0], query.get("continuation-token", [""])[0]
        keys = sorted(key for key in self.objects if key.startswith(prefix) and key > after)
        page, more = keys[:PAGE_SIZE], len(keys) > PAGE_SIZE
        result = "".join(f"<Contents><Key>{escape(key)}</Key></Contents>" for key in page)
        token = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if more else ""
        truncated = f"<IsTruncated>{str(more).lower()}</IsTruncated>"
        self._reply(200, f"<ListBucketResult>{truncated}{token}{result}</ListBucketResult>".encode())

    def _key(self) -> str:
        _, _, key = unquote(urlsplit(self.path).path).lstrip("/").partition("/")
        return key

    def _reply(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def fake_s3() -> Iterator[tuple[str, dict[str, bytes]]]:
    """Serve an empty bucket; yield the URL and the objects by their keys."""
    objects: dict[str, bytes] = {}
    handler = type("Handler", (_Handler,), {"objects": objects})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", objects
        finally:
            server.shutdown()
            thread.join()
