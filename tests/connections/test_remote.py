"""Remote connections: errors of boto3 become Tablewright errors, and boto3 never retries."""

from typing import Any

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    PartialCredentialsError,
    ReadTimeoutError,
)

from tablewright import errors
from tablewright.connections.remote import Remote, tablewright_error

URL = "http://127.0.0.1:1"


def client_error(code: str, status: int = 400, **more: Any) -> ClientError:
    translated = {"Error": {"Code": code, "Message": "why"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError({**translated, **more}, "PutItem")


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (client_error("ResourceNotFoundException"), errors.ResourceNotFound),
        (client_error("InternalServerError", 500), errors.InternalFailure),
        (client_error("ServiceUnavailable", 503), errors.InternalFailure),
        (client_error("502", 502), errors.InternalFailure),
        (client_error("BrandNewException"), errors.ServiceError),
        (NoCredentialsError(), errors.Unreachable),
    ],
)
def test_errors_of_boto3_are_translated(raised: Exception, expected: type[Exception]) -> None:
    assert isinstance(tablewright_error(raised), expected)


@pytest.mark.parametrize(
    ("raised", "was_sent"),
    [
        (EndpointConnectionError(endpoint_url=URL), False),
        (ConnectTimeoutError(endpoint_url=URL), False),
        (ReadTimeoutError(endpoint_url=URL), True),
        (ConnectionClosedError(endpoint_url=URL), True),
    ],
)
def test_a_lost_connection_knows_whether_the_request_was_sent(raised: Exception, was_sent: bool) -> None:
    translated = tablewright_error(raised)
    assert isinstance(translated, errors.LostConnection)
    assert translated.was_sent is was_sent


@pytest.mark.parametrize(
    "raised",
    [NoCredentialsError(), PartialCredentialsError(provider="env", cred_var="AWS_SECRET_ACCESS_KEY")],
)
def test_missing_credentials_say_what_to_do(raised: Exception) -> None:
    found = tablewright_error(raised)
    assert isinstance(found, errors.Unreachable)
    assert "aws sso login" in str(found)


def test_retries_of_boto3_are_always_disabled() -> None:
    from botocore.config import Config

    remote = Remote(None, URL, config=Config(retries={"mode": "adaptive", "max_attempts": 9}, read_timeout=7))
    assert remote.settings["config"].retries == {"mode": "standard", "total_max_attempts": 1}
    assert remote.settings["config"].read_timeout == 7
    remote.close()
