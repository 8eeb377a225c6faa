"""Signatures: the same as botocore's, for any credentials, times, regions, hosts, paths and bodies."""

import random
import string
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import ReadOnlyCredentials

from tablewright.connections.request_signing import CONTENT_TYPE, Signer

TEXT = string.ascii_letters + string.digits + "+/="
REGIONS = ("us-east-1", "eu-north-1", "us-gov-west-1", "localhost")
HOSTS = ("dynamodb.us-east-1.amazonaws.com", "127.0.0.1:8000", "123456789012.ddb.eu-north-1.amazonaws.com")


class FixedTime(SigV4Auth):  # type: ignore[misc]
    """botocore's signature of a request at a given time."""

    def add_auth(self, request: Any) -> None:
        self._modify_request_before_signing(request)
        text = self.string_to_sign(request, self.canonical_request(request))
        self._inject_signature_to_request(request, self.signature(text, request))


def botocores_signature(
    credentials: ReadOnlyCredentials, region: str, host: str, target: str, timestamp: str, body: bytes
) -> str:
    request = AWSRequest("POST", f"https://{host}/", data=body)
    request.headers["X-Amz-Target"] = target
    request.headers["Content-Type"] = CONTENT_TYPE
    request.context["timestamp"] = timestamp
    FixedTime(credentials, "dynamodb", region).add_auth(request)
    return str(request.headers["Authorization"])


def test_signatures_are_those_of_botocore() -> None:
    source = random.Random(4)

    def text(length: int) -> str:
        return "".join(source.choices(TEXT, k=length))

    for _ in range(60):
        token = source.choice([None, text(300)])
        credentials = ReadOnlyCredentials(text(20), text(40), token, None)
        region, host = source.choice(REGIONS), source.choice(HOSTS)
        signer = Signer(credentials.access_key, credentials.secret_key, token, region, "dynamodb", host, "/")
        for _ in range(40):
            day, time = source.randrange(20200101, 20200129), source.randrange(100000, 240000)
            timestamp = f"{day}T{time}Z"
            body = source.randbytes(source.randrange(200))
            target = f"DynamoDB_20120810.{text(8)}"
            expected = botocores_signature(credentials, region, host, target, timestamp, body)
            assert signer.authorization(target, timestamp, body) == expected


@pytest.mark.parametrize("changed", ["target", "timestamp", "body", "secret", "token", "host", "path"])
def test_every_part_of_a_request_is_signed(changed: str) -> None:
    def signature(**change: Any) -> str:
        parts: dict[str, Any] = {
            "secret": "s",
            "token": "t",
            "host": "h",
            "path": "/",
            "target": "x",
            "body": b"{}",
        }
        parts |= {"timestamp": "20260101T000000Z"} | change
        signer = Signer("k", parts["secret"], parts["token"], "r", "dynamodb", parts["host"], parts["path"])
        return signer.authorization(parts["target"], parts["timestamp"], parts["body"]).rpartition("=")[2]

    values = {"body": b"{ }", "timestamp": "20260101T000001Z"}
    assert signature(**{changed: values.get(changed, "/other")}) != signature()
