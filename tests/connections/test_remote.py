"""What boto3 raises, as one of ours: what was refused, what broke, what got lost."""

from typing import Any

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
)

from tablewright import errors
from tablewright.connections.remote import Remote, tablewright_error

URL = "http://127.0.0.1:1"


def refusal(code: str, status: int = 400, **more: Any) -> ClientError:
    told = {"Error": {"Code": code, "Message": "why"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError({**told, **more}, "PutItem")


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (refusal("ResourceNotFoundException"), errors.ResourceNotFound),
        (refusal("InternalServerError", 500), errors.InternalFailure),
        (refusal("ServiceUnavailable", 503), errors.InternalFailure),
        (refusal("502", 502), errors.InternalFailure),
        (refusal("BrandNewException"), errors.ServiceError),
        (NoCredentialsError(), errors.Unreachable),
    ],
)
def test_each_has_its_error(raised: Exception, expected: type[Exception]) -> None:
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
def test_a_lost_connection_tells_whether_anything_can_have_happened(
    raised: Exception, was_sent: bool
) -> None:
    told = tablewright_error(raised)
    assert isinstance(told, errors.LostConnection)
    assert told.was_sent is was_sent


def test_boto3_never_repeats_by_itself_whatever_it_is_told() -> None:
    from botocore.config import Config

    remote = Remote(None, URL, config=Config(retries={"mode": "adaptive", "max_attempts": 9}, read_timeout=7))
    assert remote.settings["config"].retries == {"mode": "standard", "total_max_attempts": 1}
    assert remote.settings["config"].read_timeout == 7
    remote.close()
