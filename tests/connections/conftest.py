"""Fixtures of the connection tests: a database, and a machine without AWS settings."""

from collections.abc import Iterator

import pytest

from tablewright import embedded
from tablewright.connections import Embedded
from tests.connections.tables import MUSIC


@pytest.fixture
def no_aws_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without AWS settings; the metadata service must not be called."""
    for name in (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_DEFAULT_REGION",
        "AWS_REGION",
        "AWS_PROFILE",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)


@pytest.fixture
def db() -> Iterator[Embedded]:
    with embedded() as connection:
        yield connection


@pytest.fixture
def music(db: Embedded) -> Embedded:
    db.call("CreateTable", MUSIC)
    return db
