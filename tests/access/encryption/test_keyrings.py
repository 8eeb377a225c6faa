"""Keyrings: files that only their owner may read, KMS by its two calls, rotation."""

import json
import os
from base64 import b64decode
from pathlib import Path

import pytest

from tablewright.access.encryption.keyrings import KeyFile, Keyring, KmsKey, MemoryKeys
from tablewright.errors import KeyringError
from tests.connections.fake_kms import FakeKms

ARN = "arn:aws:kms:eu-north-1:123456789012:key/one"
OLDER = "arn:aws:kms:eu-north-1:123456789012:key/older"


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


def test_an_unknown_master_key_is_named(keyring: Keyring) -> None:
    with pytest.raises(KeyringError, match="the master key other"):
        keyring.unwrap("other", keyring.wrap(b"k" * 32, "x"), "x")


class TestKeyFile:
    def test_only_the_owner_may_read_the_file(self, tmp_path: Path) -> None:
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

    def test_the_newest_key_wraps_and_older_keys_unwrap(self, tmp_path: Path) -> None:
        keys = KeyFile.create(tmp_path / "keys.json")
        old, wrapped = keys.newest, keys.wrap(b"k" * 32, "x")
        name = keys.rotate()
        again = KeyFile(tmp_path / "keys.json")
        assert again.newest == keys.newest == name != old
        assert again.unwrap(old, wrapped, "x") == b"k" * 32
        assert again.unwrap(name, keys.wrap(b"k" * 32, "x"), "x") == b"k" * 32
        assert [path.name for path in tmp_path.iterdir()] == ["keys.json"]

    def test_rotation_keeps_keys_of_other_processes(self, tmp_path: Path) -> None:
        one = KeyFile.create(tmp_path / "keys.json")
        two = KeyFile(tmp_path / "keys.json")
        names = [one.newest, one.rotate(), two.rotate()]
        assert list(KeyFile(tmp_path / "keys.json")._keys) == names

    def test_a_file_is_neither_overwritten_nor_created_by_opening(self, tmp_path: Path) -> None:
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
    def test_another_file_is_rejected_without_showing_it(self, tmp_path: Path, content: str) -> None:
        path = tmp_path / "keys.json"
        path.touch(0o600)
        path.write_text(content)
        with pytest.raises(KeyringError, match="is not a key file"):
            KeyFile(path)

    def test_no_key_is_shown(self, tmp_path: Path) -> None:
        keys = KeyFile.create(tmp_path / "keys.json")
        (entry,) = json.loads((tmp_path / "keys.json").read_text())["keys"]
        assert entry["key"] not in repr(keys)
        assert b64decode(entry["key"]).hex() not in repr(keys)


class TestKms:
    def test_an_older_key_unwraps(self) -> None:
        fake = FakeKms()
        wrapped = KmsKey(OLDER, call=fake.call).wrap(b"k" * 32, "x")
        keys = KmsKey(ARN, OLDER, call=fake.call)
        assert keys.newest == ARN
        assert keys.unwrap(OLDER, wrapped, "x") == b"k" * 32

    def test_a_name_that_is_not_an_arn_is_an_error(self) -> None:
        with pytest.raises(KeyringError, match="pass an ARN"):
            KmsKey("alias/mine").wrap(b"k" * 32, "x")
