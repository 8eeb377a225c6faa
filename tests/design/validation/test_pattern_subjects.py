"""Subjects of pattern rules: they give a rule the table and parameters, and collect its problems."""

from tablewright import Entity, Keys, Query, Table
from tablewright.design.problems import Problems
from tablewright.design.validation.pattern_subjects import PatternSubject

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
