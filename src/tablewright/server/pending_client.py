"""A client with requests to serve, as the batcher sees it: where requests come from, and replies go to."""

from typing import Protocol

from tablewright.server.http_replies import Reply
from tablewright.server.http_requests import Request


class PendingClient(Protocol):
    """A connection that the batcher serves."""

    operation: str
    """The operation that is being run, for the log."""

    deferred_bytes: int
    """The size of a request that waits for its turn."""

    def take(self) -> Request | None:
        """The next request, if it has arrived completely."""

    def send_reply(self, reply: Reply) -> None:
        """Send the reply to the request last taken."""
