"""The contract of every connection: replies as values, errors by their code, closing twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright import Connection, embedded, errors
from tablewright.connections.remote import Remote
from tests.connections.tables import MUSIC
from tests.server.processes import ServerProcess


@pytest.fixture(params=["memory", "file", "endpoint"])
def connection(request: pytest.FixtureRequest, tmp_path: Path, no_aws_settings: None) -> Iterator[Connection]:
    if request.param == "endpoint":
        with ServerProcess("--memory") as process:
            remote = Remote("us-east-1", process.url)
            yield remote
            remote.close()
        return
    with embedded(tmp_path / "app.db" if request.param == "file" else None) as connection:
        yield connection


def test_binary_values_are_bytes(connection: Connection) -> None:
    connection.call("CreateTable", MUSIC)
    item = {"Artist": {"S": "Nina"}, "Song": {"S": "Sinnerman"}, "Cover": {"B": b"\x00\xff"}}
    connection.call("PutItem", {"TableName": "Music", "Item": item})
    key = {"Artist": {"S": "Nina"}, "Song": {"S": "Sinnerman"}}
    assert connection.call("GetItem", {"TableName": "Music", "Key": key}) == {"Item": item}


def test_an_error_has_its_class_and_message(connection: Connection) -> None:
    with pytest.raises(errors.ResourceNotFound, match="Requested resource not found"):
        connection.call("GetItem", {"TableName": "Absent", "Key": {"id": {"S": "1"}}})
    with pytest.raises(errors.UnknownOperation):
        connection.call("Nonsense", {})


def test_closing_twice_has_no_effect(connection: Connection) -> None:
    connection.close()
    connection.close()
