"""DynamoDB over the network, through boto3: AWS, Alternator, a Tablewright server, any endpoint.

boto3 makes the client, with its credentials, endpoint, configuration and sockets. Data operations take the direct path
(`direct_calls`) where they can; all other calls go through the client. This module imports boto3, which is slow: import
it only to connect to an endpoint.
"""

import threading
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,  # noqa: A004 - botocore's own name
    HTTPClientError,
    IncompleteReadError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
)

from tablewright.connections.direct_calls import DirectCalls
from tablewright.connections.http_exchange import reject_damaged_reply
from tablewright.dynamodb.clock import Clock
from tablewright.errors import (
    ConditionalCheckFailed,
    InternalFailure,
    LostConnection,
    SerializationError,
    ServiceError,
    TransactionCanceled,
    UnknownOperation,
    Unreachable,
    ValidationError,
)

_SETTINGS = {
    "max_pool_connections": 50,
    # DynamoDB validates requests, so a second validation here is wasted; and botocore composes its long default user
    # agent twice a request. Both together are half of a client's work.
    "parameter_validation": False,
    "user_agent": "tablewright",
}
# boto3 would repeat an increment after a lost reply. `access` retries, and knows which calls are safe to repeat.
_NO_RETRIES = Config(retries={"mode": "standard", "total_max_attempts": 1})
BOTO3_ERRORS = (ClientError, BotoCoreError, AttributeError, KeyError, TypeError, ValueError)
"""The errors of boto3; it raises the last four when a request has members of a wrong type."""
# Endpoints other than AWS rarely check credentials, but every request must be signed with some.
_ANY_CREDENTIALS = {"aws_access_key_id": "tablewright", "aws_secret_access_key": "tablewright"}


class Remote:
    """A connection over the network; threads may share it. `settings` are the arguments of `boto3.Session.client`."""

    def __init__(
        self,
        region: str | None = None,
        endpoint: str | None = None,
        *,
        session: Any = None,
        clock: Clock | None = None,
        **settings: Any,
    ) -> None:
        self.clock = clock or Clock()
        self.endpoint = endpoint
        self.is_default_session = session is None
        self._session = session or boto3.Session()
        self.settings = client_settings(self._session, region, endpoint, settings)
        self._methods: dict[str, Any] = {}
        self._clients: list[Any] = []
        self._lock = threading.Lock()
        self._open("dynamodb")
        self.region: str = self._clients[0].meta.region_name
        self._direct = DirectCalls(self._clients[0])

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request; an error reply is raised as the `ServiceError` with its code."""
        try:
            reply = self._direct.call(operation, request)
        except (ClientError, BotoCoreError) as error:
            raise tablewright_error(error) from error
        return self.call_boto3(operation, request) if reply is None else reply

    def call_boto3(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request through boto3, as `call` does with requests that the direct path leaves to it."""
        try:
            return without_metadata(self._method(operation)(**request))
        except BOTO3_ERRORS as error:
            raise tablewright_error(error) from error

    def why_not_direct(self) -> str | None:
        """Return why all calls go through boto3, which costs more CPU time; None if data operations are direct."""
        return self._direct.why_not()

    def close(self) -> None:
        """Close the sockets."""
        for client in self._clients:
            client.close()
        self._direct.close()

    def _method(self, operation: str) -> Any:
        method = self._methods.get(operation)
        if method is None and len(self._clients) == 1:
            with self._lock:  # boto3's sessions are not thread-safe; its clients are
                self._open("dynamodbstreams")
            method = self._methods.get(operation)
        if method is None:
            raise UnknownOperation(f"DynamoDB has no operation {operation}")
        return method

    def _open(self, service: str) -> None:
        try:
            client = self._session.client(service, **self.settings)
        except BotoCoreError as error:
            raise tablewright_error(error) from error
        client.meta.events.register("before-parse", reject_damaged_reply)
        self._clients.append(client)
        for name, operation in client.meta.method_to_api_mapping.items():
            self._methods.setdefault(operation, getattr(client, name))

    def __repr__(self) -> str:
        return f"<connection to {self.endpoint or 'AWS'} in {self.region}>"


def client_settings(
    session: Any, region: str | None, endpoint: str | None, settings: dict[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a client; an endpoint other than AWS gets a default region and credentials."""
    config = Config(**_SETTINGS).merge(settings.get("config") or Config()).merge(_NO_RETRIES)
    arguments = {**settings, "config": config}
    arguments["region_name"] = region
    if endpoint is not None:
        arguments["endpoint_url"] = endpoint
        arguments["region_name"] = region or session.region_name or "us-east-1"
        if "aws_access_key_id" not in settings and session.get_credentials() is None:
            arguments |= _ANY_CREDENTIALS
    return arguments


def without_metadata(reply: dict[str, Any]) -> dict[str, Any]:
    """Remove boto3's own metadata from a reply."""
    reply.pop("ResponseMetadata", None)
    return reply


def tablewright_error(error: Exception) -> Exception:
    """Return the Tablewright error for an error of boto3."""
    if isinstance(error, ParamValidationError):
        return ValidationError(str(error))
    if isinstance(error, ConnectionError):
        return LostConnection(
            f"DynamoDB cannot be reached: {error}; check the address, and that the server runs",
            was_sent=False,
        )
    if isinstance(error, HTTPClientError | IncompleteReadError):
        return LostConnection(f"the request was sent, and the reply was lost: {error}")
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return Unreachable(
            "there are no credentials for AWS: sign in with aws sso login or aws configure, or set AWS_PROFILE"
        )
    if isinstance(error, BotoCoreError):
        return Unreachable(f"the request could not be sent: {error}")
    if not isinstance(error, ClientError):
        return SerializationError(f"the request has members of a wrong type: {error!r}")
    details = error.response.get("Error", {})
    code, message = details.get("Code", ""), details.get("Message", "")
    match code:
        case "ConditionalCheckFailedException":
            return ConditionalCheckFailed(message, error.response.get("Item"))
        case "TransactionCanceledException":
            return TransactionCanceled(error.response.get("CancellationReasons", ()))
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
    if status >= 500:  # a load balancer or a proxy uses its own codes
        return InternalFailure(message if code == InternalFailure.code else f"{code}: {message}")
    return ServiceError.of(code, message, status)
