"""Logs: one line a request when asked for, and never an item's content or a credential."""

import logging
import sys
import traceback
from copy import copy
from types import TracebackType

from tablewright.server.http_replies import Reply
from tablewright.server.http_requests import Request

access = logging.getLogger("tablewright.access")

_Failure = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class Discreet(logging.Formatter):
    """Shows where an error arose and of which kind it is, but not its message: that may quote an item."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line; a less discreet formatter may have left its text on the record, for others to use."""
        record = copy(record)
        record.exc_text = None
        return super().format(record)

    def formatException(self, failure: _Failure) -> str:
        """The frames and the kind."""
        kind, _, frames = failure
        return "".join(traceback.format_tb(frames)) + (kind.__name__ if kind else "")


def quiet_log(*, verbose: bool = False) -> None:
    """Send our logs to standard error, in a discreet form; each request too when `verbose`."""
    ours = logging.getLogger("tablewright")
    sink = logging.StreamHandler(sys.stderr)
    sink.setFormatter(Discreet("%(asctime)s %(message)s"))
    ours.addHandler(sink)
    ours.propagate = False
    access.setLevel(logging.INFO if verbose else logging.WARNING)


def log_request(client: str, operation: str, request: Request, reply: Reply, seconds: float) -> None:
    """One line: who, what, with which outcome, how much and how long."""
    access.info(
        "%s %s %s %d in:%d out:%d %.1fms",
        client,
        request.method.decode("ascii"),
        operation,
        reply.status,
        len(request.body),
        len(reply.body),
        seconds * 1000,
    )
