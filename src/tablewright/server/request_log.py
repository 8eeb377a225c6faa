"""Request log: one line for each request if enabled, and never the content of an item or a credential."""

import logging
import sys
import traceback
from copy import copy
from types import TracebackType

from tablewright.server.http_messages import Reply, Request

access = logging.getLogger("tablewright.access")

_Failure = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class ContentFreeFormatter(logging.Formatter):
    """Shows the traceback and the type of an error, but not its message: the message may quote an item."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line. Another formatter may have cached the error's full text on it: ignore that."""
        record = copy(record)
        record.exc_text = None
        return super().format(record)

    def formatException(self, failure: _Failure) -> str:
        """The traceback and the type of the error."""
        kind, _, frames = failure
        return "".join(traceback.format_tb(frames)) + (kind.__name__ if kind else "")


def log_to_stderr(*, verbose: bool = False) -> None:
    """Send the logs of Tablewright to standard error, without content; with `verbose`, log each request too."""
    sink = logging.StreamHandler(sys.stderr)
    sink.setFormatter(ContentFreeFormatter("%(asctime)s %(message)s"))
    ours = logging.getLogger("tablewright")
    ours.addHandler(sink)
    ours.propagate = False
    access.setLevel(logging.INFO if verbose else logging.WARNING)


def log_request(client: str, operation: str, request: Request, reply: Reply, seconds: float) -> None:
    """Log one line: client, method, operation, status, sizes and duration."""
    access.info(
        "%s %s %s %d in:%d out:%d %.1fms",
        client,
        request.method.decode("ascii"),
        operation,
        reply.status,
        request.size,
        len(reply.body),
        seconds * 1000,
    )
