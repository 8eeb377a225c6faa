"""KMS through boto3: two calls, and errors that name the key but not its content."""

import json
import socket
import threading
from base64 import b64decode, b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar

import pytest

from tablewright.connections.kms import KmsConnection
from tablewright.errors import KeyringError
from tests.connections.fake_kms import FakeKms

ARN = "arn:aws:kms:eu-north-1:123456789012:key/one"


class KmsHandler(BaseHTTPRequestHandler):
    """The JSON protocol of KMS, around the fake."""

    kms: ClassVar[FakeKms] = FakeKms()

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        operation = self.headers["X-Amz-Target"].removeprefix("TrentService.")
        for name in ("Plaintext", "CiphertextBlob"):
            if name in request:
                request[name] = b64decode(request[name])
        try:
            reply, status = self.kms.call(operation, request), 200
        except KeyringError:
            reply, status = {"__type": "InvalidCiphertextException"}, 400
        body = json.dumps(reply, default=lambda raw: b64encode(raw).decode()).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def kms_endpoint() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), KmsHandler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")


def request(purpose: str, **more: Any) -> dict[str, Any]:
    return {"KeyId": ARN, "EncryptionContext": {"purpose": purpose}, **more}


def test_a_key_round_trips(kms_endpoint: str) -> None:
    kms = KmsConnection(ARN, endpoint=kms_endpoint)
    wrapped = kms.call("Encrypt", request("x", Plaintext=b"k" * 32))["CiphertextBlob"]
    assert kms.call("Decrypt", request("x", CiphertextBlob=wrapped))["Plaintext"] == b"k" * 32


def test_an_error_names_the_key_and_the_code(kms_endpoint: str) -> None:
    kms = KmsConnection(ARN, endpoint=kms_endpoint)
    wrapped = kms.call("Encrypt", request("x", Plaintext=b"k" * 32))["CiphertextBlob"]
    with pytest.raises(KeyringError, match=f"KMS rejected Decrypt with {ARN}: InvalidCiphertextException"):
        kms.call("Decrypt", request("y", CiphertextBlob=wrapped))


def test_an_unreachable_endpoint_is_a_keyring_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")  # boto3 would wait between attempts
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # it does not listen, and no other server gets its port
        kms = KmsConnection(ARN, endpoint=f"http://127.0.0.1:{unused.getsockname()[1]}")
        with pytest.raises(KeyringError, match="KMS cannot be reached: EndpointConnectionError"):
            kms.call("Encrypt", request("x", Plaintext=b"k" * 32))


@pytest.mark.parametrize("name", ["alias/mine", "arn:aws:s3:::bucket", "arn:aws:kms:eu-north-1"])
def test_a_key_needs_an_arn(name: str) -> None:
    with pytest.raises(
        KeyringError, match=f"{name} is not the ARN of a KMS key; pass an ARN such as arn:aws:kms"
    ):
        KmsConnection(name)
