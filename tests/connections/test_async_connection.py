"""Async connections: called directly, in threads, or through aiobotocore, with the same replies and errors."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from tablewright import Connection, embedded, errors
from tablewright.connections import Embedded
from tablewright.connections.aiobotocore_connection import AsyncRemote
from tablewright.connections.async_connection import DirectConnection, ThreadedConnection, async_connection
from tablewright.connections.remote import Remote
from tests.connections.tables import MUSIC

URL = "http://127.0.0.1:1"


class Recorder:
    """A connection that records the threads of its calls."""

    def __init__(self) -> None:
        self.threads: list[str] = []

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.threads.append(threading.current_thread().name)
        return {"Operation": operation, **request}

    def close(self) -> None:
        raise AssertionError("the connection stays open")


def test_each_connection_has_its_async_form(db: Embedded, tmp_path: Path, no_aws_settings: None) -> None:
    with embedded(tmp_path / "app.db") as file:
        assert isinstance(async_connection(db), DirectConnection)
        assert isinstance(async_connection(file), ThreadedConnection)
    remote = Remote("us-east-1", URL)
    assert isinstance(async_connection(remote), AsyncRemote)
    remote.close()


def test_threads_are_used_for_a_session_or_without_aiobotocore(
    monkeypatch: pytest.MonkeyPatch, no_aws_settings: None
) -> None:
    import boto3

    own_session = Remote("us-east-1", URL, session=boto3.Session())
    default_session = Remote("us-east-1", URL)
    assert isinstance(async_connection(own_session), ThreadedConnection)
    monkeypatch.setattr("tablewright.connections.async_connection.find_spec", lambda name: None)
    assert isinstance(async_connection(default_session), ThreadedConnection)
    own_session.close()
    default_session.close()


def test_blocking_calls_run_in_threads() -> None:
    recorder = Recorder()

    async def use() -> list[dict[str, Any]]:
        connection = ThreadedConnection(recorder)
        replies = await asyncio.gather(*(connection.call("GetItem", {"Key": key}) for key in range(3)))
        await connection.close()
        return list(replies)

    assert asyncio.run(use()) == [{"Operation": "GetItem", "Key": key} for key in range(3)]
    assert all(name.startswith("tablewright") for name in recorder.threads)


@pytest.mark.parametrize("place", ["memory", "file"])
def test_replies_and_errors_are_those_of_the_connection(place: str, tmp_path: Path) -> None:
    async def use(connection: Connection) -> Any:
        awaited = async_connection(connection)
        await awaited.call("CreateTable", MUSIC)
        with pytest.raises(errors.ResourceNotFound):
            await awaited.call("DescribeTable", {"TableName": "Absent"})
        names = (await awaited.call("ListTables", {}))["TableNames"]
        await awaited.close()
        return names

    with embedded(tmp_path / "app.db" if place == "file" else None) as connection:
        assert asyncio.run(use(connection)) == ["Music"]
        assert connection.call("ListTables", {})["TableNames"] == ["Music"], "the connection stays open"
