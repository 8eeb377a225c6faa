"""The `Connection` interface, which all connections to DynamoDB implement."""

from typing import Any, Protocol


class Connection(Protocol):
    """A connection to DynamoDB: in this process, on a server, or on AWS.

    Requests and replies are those of the API reference, with binary values as `bytes`. An error reply is raised as
    the `ServiceError` with its code.
    """

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request, such as `call("GetItem", {"TableName": ..., "Key": ...})`; return the reply."""

    def close(self) -> None:
        """Close the connection; closing twice has no effect."""
