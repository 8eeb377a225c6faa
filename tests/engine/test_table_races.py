"""Tables are created and deleted while other threads use them: every request gets a reply or a service error."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ServiceError
from tests.engine.table_cases import index_of, request_of
from tests.thread_switching import frequent_thread_switches

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
RACES = {
    ("CreateTable", "success"),
    ("CreateTable", "ResourceInUseException"),
    ("PutItem", "success"),
    ("PutItem", "ResourceNotFoundException"),
    ("UpdateTable", "success"),
    ("UpdateTable", "ResourceNotFoundException"),
    ("Scan", "success"),
    ("Scan", "ResourceNotFoundException"),
}
"""Outcomes of calls before, and after, another thread created or deleted the table."""


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return None if request.param == "memory" else tmp_path / "music.db"


def test_only_service_errors_become_responses(store: Path | None) -> None:
    db = Database(open_store(store, durability="relaxed"))
    outcomes: set[tuple[str, str]] = set()
    broken: list[BaseException] = []

    def play(script: list[tuple[str, dict[str, Any]]]) -> Callable[[], None]:
        def rounds() -> None:
            for operation, request in script * ROUNDS:
                try:
                    db.call(operation, request)
                    outcomes.add((operation, "success"))
                except ServiceError as error:
                    outcomes.add((operation, error.code))
                except BaseException as error:
                    broken.append(error)

        return rounds

    with frequent_thread_switches():
        for _ in range(20):
            threads = [threading.Thread(target=play(script)) for script in SCRIPTS]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if outcomes >= RACES:
                break
    db.close()
    assert not broken
    assert outcomes >= RACES, "the table came and went between two calls of each thread"
    codes = {code for _, code in outcomes}
    assert codes <= {"success", "ResourceInUseException", "ResourceNotFoundException", "ValidationException"}
