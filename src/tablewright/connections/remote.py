"""DynamoDB over the network, through boto3: AWS, Alternator, a Tablewright server, any endpoint.

boto3 signs and keeps the sockets. This module imports it, which takes a while: import it only where somebody
connects to an endpoint.
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
    ParamValidationError,
)

from tablewright.engine.state.clock import Clock
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
    # DynamoDB validates what it gets, so walking every item here too is wasted; and a name of our own spares botocore
    # from composing its long one twice a request. Together they are half of a client's work.
    "parameter_validation": False,
    "user_agent": "tablewright",
}
# boto3 would repeat an increment whose reply was lost. Access asks again, and knows what may be repeated.
_ONCE = Config(retries={"mode": "standard", "total_max_attempts": 1})
FAILURES = (ClientError, BotoCoreError, AttributeError, KeyError, TypeError, ValueError)
"""What boto3 raises; the last four when a request is not even of the right form."""
# An endpoint that is not AWS rarely looks at credentials, but a request has to be signed with some.
_ANYBODY = {"aws_access_key_id": "tablewright", "aws_secret_access_key": "tablewright"}


class Remote:
    """A connection over the network; safe to use from many threads. `settings` are those of `boto3.Session.client`."""

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

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request; a refusal is raised as the `ServiceError` that bears its code."""
        try:
            return without_metadata(self._method(operation)(**request))
        except FAILURES as error:
            raise translated(error) from error

    def close(self) -> None:
        """Let the sockets go."""
        for client in self._clients:
            client.close()

    def _method(self, operation: str) -> Any:
        method = self._methods.get(operation)
        if method is None and len(self._clients) == 1:
            with self._lock:  # boto3's sessions are not safe to use from several threads; its clients are
                self._open("dynamodbstreams")
            method = self._methods.get(operation)
        if method is None:
            raise UnknownOperation(f"DynamoDB has no operation {operation}")
        return method

    def _open(self, service: str) -> None:
        try:
            client = self._session.client(service, **self.settings)
        except BotoCoreError as error:
            raise translated(error) from error
        self._clients.append(client)
        for name, operation in client.meta.method_to_api_mapping.items():
            self._methods.setdefault(operation, getattr(client, name))

    def __repr__(self) -> str:
        return f"<connection to {self.endpoint or 'AWS'} in {self.region}>"


def client_settings(
    session: Any, region: str | None, endpoint: str | None, settings: dict[str, Any]
) -> dict[str, Any]:
    """What a client is made with; an endpoint that is not AWS gets a region and credentials if there are none."""
    config = Config(**_SETTINGS).merge(settings.get("config") or Config()).merge(_ONCE)
    made = {**settings, "config": config}
    made["region_name"] = region
    if endpoint is not None:
        made["endpoint_url"] = endpoint
        made["region_name"] = region or session.region_name or "us-east-1"
        if "aws_access_key_id" not in settings and session.get_credentials() is None:
            made |= _ANYBODY
    return made


def without_metadata(reply: dict[str, Any]) -> dict[str, Any]:
    """A reply without what boto3 tells about its journey."""
    reply.pop("ResponseMetadata", None)
    return reply


def translated(error: Exception) -> Exception:
    """What boto3 raised, as one of ours."""
    if isinstance(error, ParamValidationError):
        return ValidationError(str(error))
    if isinstance(error, ConnectionError):
        return LostConnection(f"DynamoDB cannot be reached: {error}", was_sent=False)
    if isinstance(error, HTTPClientError | IncompleteReadError):
        return LostConnection(f"DynamoDB was asked, and its reply was lost: {error}")
    if isinstance(error, BotoCoreError):
        return Unreachable(f"DynamoDB cannot be asked: {error}")
    if not isinstance(error, ClientError):
        return SerializationError(f"the request is not of the form that the operation has: {error!r}")
    told = error.response.get("Error", {})
    code, message = told.get("Code", ""), told.get("Message", "")
    match code:
        case "ConditionalCheckFailedException":
            return ConditionalCheckFailed(message, error.response.get("Item"))
        case "TransactionCanceledException":
            return TransactionCanceled(error.response.get("CancellationReasons", ()))
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
    if status >= 500:  # a load balancer or a proxy has codes of its own
        return InternalFailure(message if code == InternalFailure.code else f"{code}: {message}")
    return ServiceError.of(code, message, status)
