"""Tables are created and deleted while other threads use them: every request gets a reply or a service error."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ServiceError
from tablewright.storage import open_store
from tests.engine.table_cases import index_of, request_of

NAME = {"TableName": "music"}
ITEM = {"artist": {"S": "a"}, "year": {"N": "1"}}
ADD = {
    **NAME,
    "AttributeDefinitions": [{"AttributeName": "year", "AttributeType": "N"}],
    "GlobalSecondaryIndexUpdates": [{"Create": index_of("by-year", "year")}],
}
DROP = {**NAME, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-year"}}]}
SCRIPTS: list[list[tuple[str, dict[str, Any]]]] = [
    [("CreateTable", request_of("music", "artist | artist:S")), ("DeleteTable", NAME)],
    [("CreateTable", request_of("music", "artist | artist:S")), ("DescribeTable", NAME)],
    [("UpdateTable", ADD), ("UpdateTable", DROP)],
    [("PutItem", {**NAME, "Item": ITEM}), ("GetItem", {**NAME, "Key": {"artist": {"S": "a"}}})],
    [("Scan", {**NAME, "IndexName": "by-year"}), ("Scan", NAME), ("ListTables", {})],
]
ROUNDS = 60


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return None if request.param == "memory" else tmp_path / "music.db"


def test_only_service_errors_become_responses(store: Path | None) -> None:
    db = Database(open_store(store, durability="relaxed"))
    codes: set[str] = set()
    broken: list[BaseException] = []

    def play(script: list[tuple[str, dict[str, Any]]]) -> Callable[[], None]:
        def rounds() -> None:
            for operation, request in script * ROUNDS:
                try:
                    db.call(operation, request)
                except ServiceError as error:
                    codes.add(error.code)
                except BaseException as error:
                    broken.append(error)

        return rounds

    threads = [threading.Thread(target=play(script)) for script in SCRIPTS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    db.close()
    assert not broken
    assert codes <= {"ResourceInUseException", "ResourceNotFoundException", "ValidationException"}
