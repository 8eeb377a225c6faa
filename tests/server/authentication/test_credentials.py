"""Credentials files: what is read from them, and errors with the number of the line."""

import os
from pathlib import Path

import pytest

from tablewright.errors import CredentialsError
from tablewright.server.authentication.credentials import Credential, read_credentials

TEAM = """# keys of the team
[default]
aws_access_key_id = AKIA1
aws_secret_access_key = a=b;c
region = eu-west-1
s3 =
    max_queue_size = 1000
[guest] ; of today
AWS_ACCESS_KEY_ID: AKIA2
aws_secret_access_key:secret
aws_session_token=token
[role]
role_arn = arn:aws:iam::1:role/x
"""


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    file = tmp_path / "keys.ini"
    file.touch(0o600)
    return file


def error_message(keys: Path, text: str) -> str:
    keys.write_text(text)
    with pytest.raises(CredentialsError) as error:
        read_credentials(keys)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_profiles_with_a_key_are_read_and_others_passed_over(keys: Path) -> None:
    keys.write_text(TEAM)
    assert read_credentials(keys) == {
        "AKIA1": Credential("AKIA1", "a=b;c"),
        "AKIA2": Credential("AKIA2", "secret", "token"),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a]\naws_access_key_id = x\naws_secret_access_key =\n", "line 3: aws_secret_access_key is empty"),
        (
            "[a]\naws_secret_access_key = s\n\naws_access_key_id = x/y\n",
            "line 4: aws_access_key_id is empty, or",
        ),
        (
            "[a]\naws_access_key_id = x y\naws_secret_access_key = s\n",
            "line 2: aws_access_key_id is empty, or",
        ),
        ("[a]\naws_access_key_id =\naws_secret_access_key = s\n", "line 2: aws_access_key_id is empty, or"),
        (TEAM.replace("AKIA2", "AKIA1"), "line 9: a second profile has this aws_access_key_id"),
        ("[a]\naws_access_key_id = x\naws_access_key_id = y\n", "line 3: aws_access_key_id is written twice"),
        ("aws_access_key_id = x\n", "is not a credentials file, as line 1 shows"),
        ("[a]\naws_access_key_id = x\nnonsense\n", "is not a credentials file, as line 3 shows"),
    ],
)
def test_a_fault_is_named_by_its_line_and_no_secret_is_shown(keys: Path, text: str, expected: str) -> None:
    message = error_message(keys, text)
    assert message.startswith(str(keys))
    assert expected in message
    assert "a=b;c" not in message


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o622])
def test_a_file_that_other_users_can_read_or_write_is_rejected(keys: Path, mode: int) -> None:
    keys.write_text(TEAM)
    keys.chmod(mode)
    with pytest.raises(CredentialsError, match=f"{mode:04o}.*: chmod 600 {keys}$"):
        read_credentials(keys)


def test_a_file_of_other_bytes(keys: Path) -> None:
    keys.write_bytes(b"\xff\xfe")
    with pytest.raises(CredentialsError, match="is not a credentials file"):
        read_credentials(keys)


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(CredentialsError, match="cannot be read: Is a directory"):
        read_credentials(tmp_path)
