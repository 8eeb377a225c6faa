"""Conditions of sparse keys: values that a field can never have, and conditions that always hold."""

from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal

import pytest

from tablewright import Copy, Design, Entity, Index, Keys, Query, Sparse, Table, connect, fields
from tablewright.errors import DesignError
from tests.design.definitions import define_entity

main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


class Status(Enum):
    OPEN = "open"
    CLOSED = "closed"


class Rank(IntEnum):
    NONE = 0
    ONE = 1


def sparse(kind: Any, when: Any) -> type[Entity]:
    keys = Keys(primary=("T#{a}", "T"), GSI1=Sparse("ALL", "{a}", when=when))
    return define_entity(main, {"a": str, "b": kind}, keys=keys)


REJECTED: dict[str, tuple[Any, Any, str]] = {
    "a typo": (
        Status,
        "opne",
        "b must be compared with one of 'open', 'closed', got 'opne'; did you mean 'open'?",
    ),
    "a name instead of a value": (Status, "OPEN", "one of 'open', 'closed'"),
    "a list": (Status, ["open", "closed"], "one of 'open', 'closed'"),
    "text for a boolean": (bool, "yes", "must be compared with a boolean, got 'yes'"),
    "a number for a boolean": (bool, 1, "must be compared with a boolean, got 1"),
    "a boolean for a number": (int, True, "must be compared with a number"),
    "text for a number": (int, "1", "must be compared with a number"),
    "another literal": (Literal["a"], "b", "one of 'a'"),
    "text for a date": (date, "2025-08-08", "must be compared with a date, got '2025-08-08'"),
    "a float for a decimal": (Decimal, 0.1, "must be compared with a Decimal"),
    "None of a required field": (str, None, "is never None"),
    "a hash": (Annotated[str, fields.Hashed()], "x", "is stored as a hash"),
}


@pytest.mark.parametrize(("kind", "value", "message"), REJECTED.values(), ids=REJECTED.keys())
def test_values_that_the_field_never_has_are_rejected(kind: Any, value: Any, message: str) -> None:
    with pytest.raises(DesignError) as caught:
        sparse(kind, {"b": value})
    assert "Thing has a Sparse key for GSI1 whose condition never holds: b " in str(caught.value)
    assert message in str(caught.value)


def test_values_in_copies_are_checked() -> None:
    copy = Copy(primary=("C#{a}", "C"), GSI1=Sparse("ALL", "{a}", when={"b": "opne"}))
    with pytest.raises(DesignError, match="did you mean 'open'"):
        define_entity(main, {"a": str, "b": Status}, keys=Keys(primary=("T#{a}", "T")), copied=copy)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Status, "open"),
        (Status, Status.OPEN),
        (Status | None, None),
        (bool, False),
        (int, 0),
        (Decimal, 1),
        (Literal["a"], "a"),
        (str, "x"),
        (date, date(2025, 8, 8)),
        (Any, "x"),
    ],
)
def test_values_that_the_field_can_have_are_accepted(kind: Any, value: Any) -> None:
    sparse(kind, {"b": value})


@pytest.mark.parametrize("kind", [Status, date, fields.Timestamp])
def test_a_field_that_is_always_true_is_rejected(kind: Any) -> None:
    with pytest.raises(DesignError, match='with when="b", which always holds; name the value'):
        sparse(kind, "b")
    sparse(kind | None, "b")


@pytest.mark.parametrize("kind", [bool, str, int, Rank])
def test_a_field_that_can_be_false_is_accepted(kind: Any) -> None:
    sparse(kind, ("b",))


@pytest.mark.parametrize("value", ["open", Status.OPEN])
def test_an_enum_is_compared_by_its_stored_value(value: Any) -> None:
    table = Table("tickets", key="id", indexes=[Index("open", "openKey")])

    class Ticket(Entity, table=table, type="TICKET"):
        id: str
        status: Status = Status.OPEN
        keys = Keys(indexes={"open": Sparse("OPEN", when={"status": value})})

    class OpenTickets(Query[Ticket]):
        index = "open"
        key = "openKey = OPEN"

    db = connect(Design("tickets", entities=[Ticket], patterns=[OpenTickets]))
    for number in ("1", "2"):
        db.create(Ticket(id=number))
    ticket = db.create(Ticket(id="3", status=Status.CLOSED))
    assert {each.id for each in db.run(OpenTickets())} == {"1", "2"}
    db.update(ticket, set={"status": "open"})
    db.update(Ticket(id="1"), set={"status": Status.CLOSED})
    assert {each.id for each in db.run(OpenTickets())} == {"2", "3"}


def test_a_sparse_condition_is_not_a_python_condition() -> None:
    given: Any = fields.Attribute("is_open") == True  # noqa: E712
    with pytest.raises(
        DesignError, match=r"Sparse\(when=\.\.\.\) takes the name of a field that must be true"
    ):
        Sparse("OPEN", "{a}", when=given)
