"""Filters of the items view: each finds the items it should, and secrets cannot be found by trial."""

from collections.abc import Iterator
from typing import Any

import pytest
from tablewright_systems.registry import SYSTEMS

from tablewright.console.items.browse_filters import AttributeCondition
from tablewright.errors import UsageError
from tests.console.club_design import club_client, put
from tests.console.sample_console import ConsoleClient, console_client


@pytest.fixture(scope="module")
def club() -> Iterator[ConsoleClient]:
    console = club_client()
    put(
        console.opened,
        {
            "PK": {"S": "X"},
            "SK": {"S": "1"},
            "n": {"N": "7"},
            "s": {"S": "7"},
            "flag": {"BOOL": True},
            "place": {"M": {"city": {"S": "Turku"}}},
            "a.b": {"S": "dotted"},
            "tags": {"L": [{"S": "red"}]},
        },
    )
    yield console
    console.opened.db.close()


def found(console: ConsoleClient, **given: Any) -> list[str]:
    rows = console.post("/items/read", {"table": "club", **given})["items"]
    return sorted(row["key"]["SK"]["S"] if row["key"]["PK"]["S"] != "X" else "X" for row in rows)


def condition(attribute: Any, operator: str, *values: str, kind: str = "auto") -> dict[str, Any]:
    return {"conditions": [{"attribute": attribute, "operator": operator, "values": values, "type": kind}]}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (condition("n", "=", "7"), ["X"]),
        (condition("s", "=", "7"), ["X"]),
        (condition("n", "=", "7", kind="S"), []),
        (condition("n", "between", "6.5", "7"), ["X"]),
        (condition("n", "between", "8", "9"), []),
        (condition("flag", "=", "true"), ["X"]),
        (condition("flag", "<>", "true"), []),
        (condition("n", "<>", "8"), ["X"]),
        (condition("place.city", "begins_with", "Tu"), ["X"]),
        (condition("tags[0]", "=", "red"), ["X"]),
        (condition("tags", "contains", "red"), ["X"]),
        (condition(["a.b"], "=", "dotted"), ["X"]),
        (condition("a.b", "=", "dotted"), []),
        (condition("pin", "exists"), ["PROFILE"]),
        (condition("title", "=", "Paint"), ["TASK#t1", "TASK#t1"]),
    ],
)
def test_conditions_on_attributes(club: ConsoleClient, given: Any, expected: list[str]) -> None:
    assert found(club, **given) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (condition("pin", "=", "1234"), "pin is secret"),
        (condition("pin", "begins_with", "1"), "pin is secret"),
        (condition("pin.x", "exists"), "pin is secret"),
        (condition("_kept.pin", "=", "1"), "_kept is secret"),
        (condition("n", "between", "1"), "between takes 2"),
        (condition("n", "=", "x", kind="N"), "needs a number"),
        (condition("n", "<", "true", kind="BOOL"), "needs true or false"),
        (condition("n..m", "="), "not an attribute"),
        (condition([0], "exists"), "name of an attribute"),
        ({"filter": "pin = '1234'"}, "encrypted"),
        ({"filter": "size(pin) > 2"}, "not stored as it is"),
        ({"filter": "levle > 2"}, "did you mean level"),
        ({"filter": "level > {least}"}, "least.*parameter"),
        ({"filter": "level >"}, "filter: "),
        ({"filter": "level > 'high'"}, "level"),
        ({"entity": "Membr"}, "did you mean Member"),
        ({"prefix": ""} | {"partition": ["X"]}, "leave it out"),
    ],
)
def test_a_filter_that_cannot_work_is_an_error(club: ConsoleClient, given: Any, message: str) -> None:
    status, text = club.error("POST", "/items/read", {"table": "club", **given})
    assert status == 400
    with pytest.raises(UsageError, match=message):
        raise UsageError(text)


def test_a_filter_text_uses_field_names(club: ConsoleClient) -> None:
    assert found(club, filter="level > 2 AND name = 'Ada'") == ["PROFILE"]
    assert found(club, filter="title IN ('Paint', 'Sweep')", entity="Task") == [
        "TASK#t1",
        "TASK#t1",
        "TASK#t2",
    ]


def test_an_entity_has_its_copies_and_locks(club: ConsoleClient) -> None:
    assert found(club, entity="Member") == ["PROFILE", "PROFILE", "_lock", "_lock"]
    assert found(club, entity="Task", role="copy") == ["TASK#t1"]
    assert found(club, role="unknown") == ["X"]
    assert found(club, entity="Member", partition=["MEMBER#m1"]) == ["PROFILE"]


def test_a_row_without_a_type_is_found_by_its_key(club: ConsoleClient) -> None:
    assert found(club, index="open", entity="Task") == ["TASK#t1", "TASK#t3"]
    assert found(club, index="open", entity="Member") == []


def test_the_beginning_of_a_partition_key(club: ConsoleClient) -> None:
    assert found(club, prefix="MEMBER#m2") == ["PROFILE"]
    assert found(club, prefix="_lock") == ["_lock", "_lock"]


def test_an_unknown_operator_is_an_error() -> None:
    with pytest.raises(ValueError, match="operator"):
        AttributeCondition.model_validate({"attribute": "n", "operator": "matches", "values": ["x"]})


@pytest.mark.parametrize("name", [system.name for system in SYSTEMS])
def test_every_entity_of_a_system_can_be_chosen(name: str) -> None:
    with console_client(name, samples=1) as console:
        for entity in console.opened.design.entities:
            table = console.opened.db.context.table_name(entity.layout.table)
            given = {"table": table, "entity": entity.__name__, "limit": 20}
            rows = console.post("/items/read", given)["items"]
            assert {row["entity"] for row in rows} <= {entity.__name__}
