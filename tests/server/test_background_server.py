"""A server on the database of this process: clients and the program see each other's writes."""

import socket
import threading
import urllib.request
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import tablewright
from tablewright import Design, connect, embedded
from tablewright.errors import UsageError
from tests.server.raw_http import RawConnection
from tests.server.test_wire import make_table

NINA = {"TableName": "kept", "Key": {"Artist": {"S": "nina"}}, "ConsistentRead": True}


PACKAGE = str(Path(tablewright.__file__).parent)
PUT_FILES = 22


def item(year: int) -> dict[str, Any]:
    return {"TableName": "kept", "Item": {"Artist": {"S": "nina"}, "Year": {"N": str(year)}}}


@pytest.mark.parametrize("workers", [1, 2])
def test_clients_and_the_program_see_each_others_writes(tmp_path: Path, workers: int) -> None:
    with embedded(tmp_path / "app.db") as db:
        with db.serve(workers=workers) as server, RawConnection(("127.0.0.1", server.port)) as client:
            make_table(client, "kept")
            for year in range(1965, 1975, 2):
                assert client.call("PutItem", item(year)).status == 200
                assert db.call("GetItem", NINA)["Item"]["Year"] == {"N": str(year)}
                db.call("PutItem", item(year + 1))
                assert client.call("GetItem", NINA).json()["Item"]["Year"] == {"N": str(year + 1)}
        assert db.call("GetItem", NINA)["Item"]["Year"] == {"N": "1974"}


def test_the_server_stops_with_its_context_or_the_database() -> None:
    address = {"Endpoints": [{"Address": "dynamodb.us-east-1.amazonaws.com", "CachePeriodInMinutes": 1440}]}
    before = threading.active_count()
    with embedded() as db:
        with db.serve() as first:
            assert str(first.port) in db.call("DescribeEndpoints", {})["Endpoints"][0]["Address"]
        assert db.call("DescribeEndpoints", {}) == address
        second = db.serve()
        assert (first.url, second.url.startswith("http://127.0.0.1:")) == (
            f"http://127.0.0.1:{first.port}",
            True,
        )
    for server in (first, second):
        server.stop()
        with pytest.raises(OSError, match="refused"):
            urllib.request.urlopen(server.url, timeout=10)
    assert threading.active_count() == before


def test_regions_are_those_of_the_database() -> None:
    with embedded() as db, db.serve() as server:
        with (
            connect(Design("empty"), server.url, region="eu-west-1") as other,
            RawConnection(("127.0.0.1", server.port)) as client,
        ):
            make_table(client, "here")
            assert other.connection.call("ListTables", {})["TableNames"] == []
        assert db.call("ListTables", {}) == {"TableNames": ["here"]}
        assert db.in_region("eu-west-1").call("ListTables", {}) == {"TableNames": []}


def test_a_port_in_use_is_an_error_of_the_caller() -> None:
    with embedded() as db, socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(OSError, match="in use"):
            db.serve(taken.getsockname()[1])
        assert db.call("ListTables", {}) == {"TableNames": []}


def test_several_workers_need_a_file() -> None:
    with embedded() as db, pytest.raises(UsageError, match="several workers need a data file"):
        db.serve(workers=2)


def test_a_reader_of_put_item_opens_few_files(tmp_path: Path) -> None:
    """The files whose functions a PutItem over HTTP calls, after the first one: merge modules before adding one."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if frame.f_code.co_filename.startswith(PACKAGE):
            files.add(frame.f_code.co_filename)

    threading.setprofile(note)
    try:
        with (
            embedded(tmp_path / "app.db") as db,
            db.serve() as server,
            RawConnection(("127.0.0.1", server.port)) as client,
        ):
            make_table(client, "kept")
            assert client.call("PutItem", item(1965)).status == 200
            files.clear()
            assert client.call("PutItem", item(1965)).status == 200
            crossed = sorted(files)
    finally:
        threading.setprofile(None)
    assert f"{PACKAGE}/engine/core/operations/put_item.py" in crossed
    assert len(crossed) <= PUT_FILES, crossed
