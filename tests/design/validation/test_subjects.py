"""Subjects: missing fields are reported with the closest name."""

import pytest

from tablewright import Entity, Keys, Query, Table
from tablewright.design.layouts.layouts import FieldLayout
from tablewright.design.problems import Problems
from tablewright.design.validation.subjects import PatternSubject, Subject

FIELDS = {name: FieldLayout(name, name, str, False) for name in ("email", "nickname")}


@pytest.mark.parametrize(
    ("name", "fix"), [("nick_name", "did you mean nickname?"), ("zip", "its fields are: email, nickname")]
)
def test_a_missing_field_is_reported_with_a_hint(name: str, fix: str) -> None:
    subject = Subject("User", Table("main", key="id"), None, FIELDS, Problems(literal=True))
    assert subject.require_field(name, "the copy twin") is None
    (problem,) = subject.problems.recorded
    assert (problem.code, problem.where, problem.fix) == ("TW003", f"User.{name}", fix)
    assert problem.why == f"User has no field {name}, which the copy twin needs"


def test_an_existing_field_is_returned() -> None:
    subject = Subject("User", Table("main", key="id"), None, FIELDS, Problems(literal=False))
    assert subject.require_field("email", "a key") is FIELDS["email"]


main = Table("main", key=("PK", "SK"))


class Order(Entity, table=main, type="ORDER"):
    user_id: str
    number: int
    keys = Keys(primary=("USER#{user_id}", "ORDER#{number:06}"))


class OrdersOfUser(Query[Order]):
    user_id: str
    key = "PK = USER#{user_id}"


def test_a_subject_knows_its_table_and_parameters() -> None:
    subject = PatternSubject(OrdersOfUser, "query", (Order.layout,), Problems(literal=True))
    assert subject.table is main
    assert list(subject.parameters) == ["user_id"]
    assert subject.type_of("user_id") is str


def test_a_problem_names_the_pattern() -> None:
    subject = PatternSubject(OrdersOfUser, "query", (Order.layout,), Problems(literal=True))
    subject.report("TW005", "it does not fit", "change it")
    (problem,) = subject.problems.recorded
    assert (problem.code, problem.where, problem.fix) == ("TW005", "OrdersOfUser", "change it")
