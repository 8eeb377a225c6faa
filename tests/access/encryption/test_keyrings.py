"""Keyrings: files that only their owner may read, KMS by its two calls, rotation."""

import json
import os
import threading
from base64 import b64decode, b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tablewright.access.encryption.keyrings import KeyFile, Keyring, KmsKey, MemoryKeys
from tablewright.connections.kms import KmsConnection
from tablewright.errors import KeyringError

ARN = "arn:aws:kms:eu-north-1:123456789012:key/one"
OLDER = "arn:aws:kms:eu-north-1:123456789012:key/older"


class FakeKms:
    """KMS cannot be run here; this keeps to its contract: a context that differs is refused."""

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        told = [request["KeyId"], request["EncryptionContext"]]
        if operation == "Encrypt":
            return {"CiphertextBlob": json.dumps([*told, request["Plaintext"].hex()]).encode()}
        *sealed_for, plain = json.loads(request["CiphertextBlob"])
        if sealed_for != told:
            raise KeyringError("KMS refused")
        return {"Plaintext": bytes.fromhex(plain)}


@pytest.fixture(params=["memory", "file", "kms"])
def keyring(request: pytest.FixtureRequest, tmp_path: Path) -> Keyring:
    match request.param:
        case "memory":
            return MemoryKeys()
        case "file":
            return KeyFile.create(tmp_path / "keys.json")
        case _:
            return KmsKey(ARN, call=FakeKms().call)


def test_a_key_is_wrapped_for_one_purpose(keyring: Keyring) -> None:
    wrapped = keyring.wrap(b"k" * 32, "tenant a")
    assert b"k" * 32 not in wrapped
    assert keyring.unwrap(keyring.newest, wrapped, "tenant a") == b"k" * 32
    with pytest.raises(KeyringError):
        keyring.unwrap(keyring.newest, wrapped, "tenant b")


def test_a_master_key_that_is_not_there_is_named(keyring: Keyring) -> None:
    with pytest.raises(KeyringError, match="the master key other"):
        keyring.unwrap("other", keyring.wrap(b"k" * 32, "x"), "x")


class TestKeyFile:
    def test_only_its_owner_may_read_it(self, tmp_path: Path) -> None:
        path = tmp_path / "keys.json"
        before = os.umask(0)
        try:
            KeyFile.create(path)
            KeyFile(path).rotate()
        finally:
            os.umask(before)
        assert path.stat().st_mode & 0o777 == 0o600
        path.chmod(0o640)
        with pytest.raises(KeyringError, match="chmod 600"):
            KeyFile(path)

    def test_the_newest_wraps_and_older_unwrap(self, tmp_path: Path) -> None:
        keys = KeyFile.create(tmp_path / "keys.json")
        old, wrapped = keys.newest, keys.wrap(b"k" * 32, "x")
        name = keys.rotate()
        again = KeyFile(tmp_path / "keys.json")
        assert again.newest == keys.newest == name != old
        assert again.unwrap(old, wrapped, "x") == b"k" * 32
        assert again.unwrap(name, keys.wrap(b"k" * 32, "x"), "x") == b"k" * 32
        assert [path.name for path in tmp_path.iterdir()] == ["keys.json"]

    def test_rotation_keeps_what_another_process_added(self, tmp_path: Path) -> None:
        one = KeyFile.create(tmp_path / "keys.json")
        two = KeyFile(tmp_path / "keys.json")
        names = [one.newest, one.rotate(), two.rotate()]
        assert list(KeyFile(tmp_path / "keys.json")._keys) == names

    def test_a_file_is_never_overwritten_and_never_made_by_opening(self, tmp_path: Path) -> None:
        path = tmp_path / "keys.json"
        with pytest.raises(KeyringError, match=r"key file .* does not exist; .* KeyFile\.create"):
            KeyFile(path)
        KeyFile.create(path)
        content = path.read_bytes()
        with pytest.raises(KeyringError, match="exists already"):
            KeyFile.create(path)
        assert path.read_bytes() == content

    @pytest.mark.parametrize(
        "content",
        [
            "",
            "[]",
            "{}",
            '{"format": 2, "keys": []}',
            '{"format": 1, "keys": [{"name": "a", "key": "eA=="}]}',
        ],
    )
    def test_another_file_is_refused_without_showing_it(self, tmp_path: Path, content: str) -> None:
        path = tmp_path / "keys.json"
        path.touch(0o600)
        path.write_text(content)
        with pytest.raises(KeyringError, match="is not a key file"):
            KeyFile(path)

    def test_no_key_shows(self, tmp_path: Path) -> None:
        keys = KeyFile.create(tmp_path / "keys.json")
        (entry,) = json.loads((tmp_path / "keys.json").read_text())["keys"]
        assert entry["key"] not in repr(keys)
        assert b64decode(entry["key"]).hex() not in repr(keys)


class TestKms:
    def test_a_key_that_wrapped_before_unwraps(self) -> None:
        fake = FakeKms()
        wrapped = KmsKey(OLDER, call=fake.call).wrap(b"k" * 32, "x")
        keys = KmsKey(ARN, OLDER, call=fake.call)
        assert keys.newest == ARN
        assert keys.unwrap(OLDER, wrapped, "x") == b"k" * 32

    def test_no_arn_is_refused(self) -> None:
        with pytest.raises(KeyringError, match="pass an ARN"):
            KmsKey("alias/mine").wrap(b"k" * 32, "x")

    def test_through_boto3(self, kms_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
        keys = KmsKey(ARN, call=KmsConnection(ARN, endpoint=kms_endpoint).call)
        wrapped = keys.wrap(b"k" * 32, "x")
        assert keys.unwrap(ARN, wrapped, "x") == b"k" * 32
        with pytest.raises(
            KeyringError, match=f"KMS rejected Decrypt with {ARN}: InvalidCiphertextException"
        ):
            keys.unwrap(ARN, wrapped, "y")


class _Wire(BaseHTTPRequestHandler):
    """The JSON that KMS speaks, around the fake."""

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
    server = HTTPServer(("127.0.0.1", 0), _Wire)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
