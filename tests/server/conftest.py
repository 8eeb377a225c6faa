"""What the tests of the wire share: a server in a process of its own, and ways to talk to it."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from tests.server.processes import ServerProcess
from tests.server.talk import Line


@pytest.fixture(scope="session")
def server() -> Iterator[ServerProcess]:
    """A server in memory, shared: a test makes tables of its own."""
    with ServerProcess("--memory") as process:
        yield process


@pytest.fixture
def line(server: ServerProcess) -> Iterator[Line]:
    """One connection to the server, byte by byte."""
    with Line(server.address) as connected:
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
