"""Async endpoints through aiobotocore: the same replies and errors as through boto3."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import errors
from tablewright.connections.aiobotocore_connection import AsyncRemote
from tablewright.connections.remote import Remote
from tests.connections.tables import MUSIC
from tests.server.processes import ServerProcess


@pytest.fixture
def endpoint(no_aws_settings: None) -> Iterator[str]:
    with ServerProcess("--memory") as process:
        yield process.url


def test_replies_and_errors_of_an_endpoint(endpoint: str) -> None:
    async def use() -> Any:
        connection = AsyncRemote(Remote("us-east-1", endpoint))
        await connection.call("CreateTable", MUSIC)
        with pytest.raises(errors.ResourceNotFound):
            await connection.call("DescribeTable", {"TableName": "Absent"})
        with pytest.raises(errors.UnknownOperation, match="DynamoDB has no operation Nonsense"):
            await connection.call("Nonsense", {})
        streams = await connection.call("ListStreams", {"TableName": "Music"})
        calls = [connection.call("ListTables", {}) for _ in range(5)]
        names = [reply["TableNames"] for reply in await asyncio.gather(*calls)]
        await connection.close()
        return streams, names

    streams, names = asyncio.run(use())
    assert streams["Streams"] == []
    assert "ResponseMetadata" not in streams
    assert names == [["Music"]] * 5


def test_an_unreachable_endpoint_is_a_lost_connection(no_aws_settings: None) -> None:
    async def use() -> None:
        connection = AsyncRemote(Remote("us-east-1", "http://127.0.0.1:1"))
        try:
            await connection.call("ListTables", {})
        finally:
            await connection.close()

    with pytest.raises(errors.LostConnection) as caught:
        asyncio.run(use())
    assert not caught.value.was_sent
