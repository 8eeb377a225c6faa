"""Fixtures of the server tests: a server in its own process, raw connections and boto3 clients."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection


@pytest.fixture(scope="session")
def server() -> Iterator[ServerProcess]:
    """A server in memory, shared: each test creates its own tables."""
    with ServerProcess("--memory") as process:
        yield process


@pytest.fixture
def connection(server: ServerProcess) -> Iterator[RawConnection]:
    """A raw connection to the server."""
    with RawConnection(server.address) as connected:
        yield connected


@pytest.fixture
def client(server: ServerProcess) -> Any:
    return boto_client(server)


def boto_client(server: ServerProcess, service: str = "dynamodb", **settings: Any) -> Any:
    """A boto3 client of the server."""
    chosen = {
        "region_name": "us-east-1",
        "aws_access_key_id": "any",
        "aws_secret_access_key": "any",
    } | settings
    return boto3.client(service, endpoint_url=server.url, **chosen)
