"""PartiQL statements: the tables that a statement names, and whether it only reads."""

import pytest

from tablewright.console.queries.partiql_statements import parse_statement
from tablewright.errors import UsageError


@pytest.mark.parametrize(
    ("text", "tables", "index", "is_read"),
    [
        ('SELECT * FROM "app-main"', ("app-main",), None, True),
        ("select a, b from app where x = 'FROM other'", ("app",), None, True),
        ('SELECT * FROM "app"."GSI1" WHERE x = 1', ("app",), "GSI1", True),
        ("  \n SELECT * FROM app", ("app",), None, True),
        ("""INSERT INTO "app" VALUE {'PK': 'x'}""", ("app",), None, False),
        ("UPDATE app SET a = 1 WHERE PK = 'x'", ("app",), None, False),
        ("DELETE FROM app WHERE PK = 'x'", ("app",), None, False),
        ("EXISTS(SELECT * FROM app WHERE PK = 'x')", ("app",), None, False),
        ('SELECT * FROM "a""b"', ('a"b',), None, True),
        ("SELECT * FROM app WHERE a = 'it''s' AND b = '--'", ("app",), None, True),
        ("SELECT * FROM /* other */ app", ("app",), None, True),
    ],
)
def test_the_parts_of_a_statement(
    text: str, tables: tuple[str, ...], index: str | None, is_read: bool
) -> None:
    found = parse_statement(text)
    assert (found.tables, found.index, found.is_read) == (tables, index, is_read)


@pytest.mark.parametrize(
    "text",
    ["", "   ", None, 5, "SELECT 1", "SELECT * FROM 'app'", "SELECT * FROM a WHERE b IN (SELECT x FROM c)"],
)
def test_what_names_no_table_is_rejected(text: object) -> None:
    with pytest.raises(UsageError):
        parse_statement(text)


def test_attributes_that_are_compared_are_found() -> None:
    assert parse_statement("SELECT * FROM app WHERE token > 1").reads_inside({"token"}) == "token"
    assert parse_statement("UPDATE app SET note = token").reads_inside({"token"}) == "token"
    assert parse_statement("SELECT token FROM app WHERE a = 'token'").reads_inside({"token"}) is None


def test_a_path_into_an_attribute_is_found() -> None:
    found = parse_statement('SELECT a, "token"."part" FROM app')
    assert found.reads_inside({"token"}) == "token"
    assert found.reads_inside({"a", "part"}) is None
    assert parse_statement("SELECT token[0] FROM app").reads_inside({"token"}) == "token"
    assert parse_statement("SELECT 'token' . x FROM app").reads_inside({"token"}) is None


@pytest.mark.parametrize(
    "selected", ["token AS shown", "token shown", "upper(token)", "'' || token", "[token]", "{'a': token}"]
)
def test_an_attribute_under_another_name_is_found(selected: str) -> None:
    assert parse_statement(f"SELECT a, {selected} FROM app").reads_inside({"token"}) == "token"
    assert parse_statement("SELECT a.token, token FROM app a").reads_inside({"token"}) is None


def test_an_attribute_that_orders_is_found() -> None:
    assert parse_statement("SELECT * FROM app ORDER BY token").reads_inside({"token"}) == "token"


def test_only_a_star_selects_whole_items() -> None:
    assert parse_statement("SELECT * FROM app").is_whole
    assert not parse_statement("SELECT a FROM app").is_whole
