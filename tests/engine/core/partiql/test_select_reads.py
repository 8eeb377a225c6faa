"""The reads of a SELECT: key ranges return the same items as a scan with a filter."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.expressions import ItemCondition
from tablewright.dynamodb.expressions.partiql import Select, bind
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ServiceError
from tests.dynamodb.expressions.plain import item
from tests.engine.statements import TABLES


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store())
    for table in TABLES:
        database.call("CreateTable", table)
    yield database
    database.close()


def execute(db: Database, statement: str, *parameters: Any, **members: Any) -> dict[str, Any]:
    """The reply to a statement."""
    request = {"Statement": statement, **members}
    if parameters:
        request["Parameters"] = list(parameters)
    return db.call("ExecuteStatement", request)


def error_message(db: Database, statement: str, *parameters: Any, **members: Any) -> str:
    """The error message of a statement."""
    with pytest.raises(ServiceError) as caught:
        execute(db, statement, *parameters, **members)
    return caught.value.message


def test_at_most_fifty_reads(db: Database) -> None:
    def values(count: int) -> str:
        return ", ".join(f"'v{number}'" for number in range(count))

    for where in (
        f"pk IN [{values(51)}]",
        f"pk = 'a' AND sk IN [{values(51)}]",
        f"pk IN [{values(26)}] AND sk IN ['1', '2']",
    ):
        assert error_message(db, f"SELECT * FROM pairs WHERE {where}") == (
            "Too many decomposed read operations for a given query."
        )
    for where in (f"pk IN [{values(50)}] AND flag IN [{values(100)}]", f"pk IN [{values(51)}] OR flag = 'x'"):
        assert execute(db, f"SELECT * FROM pairs WHERE {where}")["Items"] == []


_KEYS = st.sampled_from(["a", "b", "c"])


_TESTS = st.one_of(
    st.builds("pk = '{}'".format, _KEYS),
    st.builds("pk IN ['{}', '{}']".format, _KEYS, _KEYS),
    st.builds("sk {} '{}'".format, st.sampled_from(["=", "<", "<=", ">", ">=", "<>"]), _KEYS),
    st.builds("sk IN ['{}', '{}']".format, _KEYS, _KEYS),
    st.builds("sk BETWEEN '{}' AND 'c'".format, _KEYS),
    st.builds("begins_with(sk, '{}')".format, _KEYS),
    st.builds("n {} {}".format, st.sampled_from(["=", "<", "<>"]), st.integers(0, 2)),
)


_CONDITIONS = st.recursive(
    _TESTS,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("NOT {}".format, inner),
    ),
    max_leaves=8,
)


_ERRORS = ("Overlapping conditions", "Too many decomposed")


@pytest.fixture(scope="module")
def grid() -> Iterator[Database]:
    """Nine items: every pair of keys."""
    database = Database(open_store())
    database.call("CreateTable", next(table for table in TABLES if table["TableName"] == "pairs"))
    for number, (pk, sk) in enumerate((pk, sk) for pk in "abc" for sk in "abc"):
        database.call("PutItem", {"TableName": "pairs", "Item": item({"pk": pk, "sk": sk, "n": number % 3})})
    yield database
    database.close()


@given(where=_CONDITIONS)
def test_ranges_return_the_same_items_as_a_filter(grid: Database, where: str) -> None:
    bound = bind(f"SELECT * FROM pairs WHERE {where}")
    assert isinstance(bound, Select)
    assert bound.where is not None
    condition = ItemCondition.of(bound.where)
    try:
        found = execute(grid, f"SELECT * FROM pairs WHERE {where}")["Items"]
    except ServiceError as caught:
        if not caught.message.startswith(_ERRORS):
            raise
        return
    everything = grid.call("Scan", {"TableName": "pairs"})["Items"]
    expected = [each for each in everything if condition.matches(each)]
    assert sorted(map(str, found)) == sorted(map(str, expected))
