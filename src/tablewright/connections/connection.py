"""The seam: whatever answers DynamoDB's calls looks like this to the code above it."""

from typing import Any, Protocol


class Connection(Protocol):
    """Something that speaks DynamoDB's own vocabulary: this process, a server, or AWS.

    Requests and replies are those of the API reference, with binary values as `bytes`. A refusal is raised as the
    `ServiceError` that bears its code.
    """

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request, such as `call("GetItem", {"TableName": ..., "Key": ...})`; return the reply."""

    def close(self) -> None:
        """Let go of what the connection holds; closing twice does no harm."""
