"""Secret names: fields that look like secrets and are stored as plain text."""

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel

from tablewright import Entity, Keys, Table, fields
from tablewright.checks.secret_names import looks_secret, plain_secrets


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("password", True),
        ("mfa_secret", True),
        ("apiKey", True),
        ("refresh_tokens", True),
        ("password_hash", False),
        ("encrypted_token", False),
        ("token_count", False),
        ("secretary", False),
    ],
)
def test_names_of_secrets(name: str, expected: bool) -> None:
    assert looks_secret(name) == expected


class Credentials(BaseModel):
    password: str


class Account(Entity, table=Table("main", key="PK"), type="ACCOUNT"):
    user: str
    credentials: Credentials
    login: Credentials
    api_key: Annotated[str, fields.Encrypted()]
    secret: Literal["yes", "no"]
    tokens: int
    keys = Keys(primary="ACCOUNT#{user}")


def test_marked_limited_and_numeric_fields_are_no_plain_secrets() -> None:
    assert list(plain_secrets(Account)) == ["credentials", "login.password"]
