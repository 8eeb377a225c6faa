"""CreateTable: rules, limits, and what the new table looks like."""

from collections.abc import Iterator

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ValidationError
from tests.engine.table_cases import outcome_of, play, request_of

NOON = 1_700_000_000.123


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock(start=NOON))
    yield database
    database.close()


def test_golden_cases(db: Database, update_golden: bool) -> None:
    play("create_table.txt", db, update=update_golden)


@pytest.mark.parametrize(("length", "accepted"), [(254, True), (255, True), (256, False)])
def test_names_have_up_to_255_characters(db: Database, length: int, accepted: bool) -> None:
    name = "n" * length
    for request in (
        {**request_of("music", "artist | artist:S"), "TableName": name},
        request_of("attribute", f"{name} | {name}:S"),
        request_of("index", f"artist | artist:S + gsi {name} artist"),
        request_of("projected", f"artist | artist:S + gsi index artist INCLUDE={name}"),
    ):
        reply = outcome_of(db, "CreateTable", request)
        assert (reply == "ok") is accepted, reply
        assert accepted or "length less than or equal to 255" in reply


def test_a_rejected_table_creates_nothing(db: Database) -> None:
    with pytest.raises(ValidationError):
        db.call(
            "CreateTable", request_of("music", "artist | artist:S") | {"Tags": [{"Key": "", "Value": ""}]}
        )
    assert db.call("ListTables", {})["TableNames"] == []
