"""ListTables: names in order, a page at a time."""

from collections.abc import Iterator

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.table_cases import outcome_of, request_of


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store())
    for number in range(101):
        database.call("CreateTable", request_of(f"table-{number:03}", "artist | artist:S"))
    yield database
    database.close()


def test_a_page_has_a_hundred_names(db: Database) -> None:
    first = db.call("ListTables", {})
    assert first["TableNames"] == [f"table-{number:03}" for number in range(100)]
    rest = db.call("ListTables", {"ExclusiveStartTableName": first["LastEvaluatedTableName"]})
    assert rest == {"TableNames": ["table-100"]}


@pytest.mark.parametrize("limit", [1, 7, 50, 100])
def test_pages_cover_everything_once(db: Database, limit: int) -> None:
    names: list[str] = []
    request: dict[str, object] = {"Limit": limit}
    while True:
        page = db.call("ListTables", request)
        names += page["TableNames"]
        if "LastEvaluatedTableName" not in page:
            break
        assert page["LastEvaluatedTableName"] == names[-1]
        request["ExclusiveStartTableName"] = names[-1]
    assert names == [f"table-{number:03}" for number in range(101)]


def test_the_start_need_not_exist(db: Database) -> None:
    page = db.call("ListTables", {"ExclusiveStartTableName": "table-0995"})
    assert page == {"TableNames": ["table-100"]}


def test_the_last_full_page_has_no_next(db: Database) -> None:
    db.call("DeleteTable", {"TableName": "table-100"})
    assert "LastEvaluatedTableName" not in db.call("ListTables", {})


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (
            {"Limit": 0},
            "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
        ),
        ({"Limit": 101}, "Member must have value less than or equal to 100"),
        ({"ExclusiveStartTableName": "a;"}, "2 validation errors detected"),
        ({"ExclusiveStartTableName": "a" * 256}, "Member must have length less than or equal to 255"),
        ({"Limit": "1"}, "SerializationException: STRING_VALUE cannot be converted to Integer"),
        ({"Limit": None, "ExclusiveStartTableName": None, "Else": 1}, "ok"),
    ],
)
def test_invalid_values(db: Database, request_: dict[str, object], words: str) -> None:
    assert words in outcome_of(db, "ListTables", request_)
