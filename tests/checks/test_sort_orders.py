"""Sort orders: what a key condition leaves to sort by."""

from typing import Any

import pytest

from tablewright import Entity, Index, Keys, Query, Table
from tablewright.checks.sort_orders import orders
from tests.design.definitions import define_pattern


class Task(Entity, table=Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK")]), type="TASK"):
    owner: str
    status: str
    due: str
    task_id: str
    keys = Keys(primary=("OWNER#{owner}", "TASK#{status}#{due}#{task_id}"), GSI1="{status}")


@pytest.mark.parametrize(
    ("parameters", "key", "fixed", "left"),
    [
        ({"o": str}, "PK = OWNER#{o}", (), ("status", "due", "task_id")),
        (
            {"o": str, "s": str},
            "PK = OWNER#{o} AND begins_with(SK, TASK#{s}#)",
            ("status",),
            ("due", "task_id"),
        ),
        ({"o": str, "s": str}, "PK = OWNER#{o} AND SK > TASK#{s}", (), ("status", "due", "task_id")),
        ({"s": str}, "GSI1PK = {s}", (), ()),
    ],
)
def test_fields_that_are_left_to_sort_by(
    parameters: dict[str, Any], key: str, fixed: tuple[str, ...], left: tuple[str, ...]
) -> None:
    (order,) = orders(define_pattern(Query, Task, parameters, key=key).__plan__)
    assert (order.fixed, tuple(field.name for field in order.fields)) == (fixed, left)


def test_the_prefix_is_the_literal_text_of_the_sort_key() -> None:
    (order,) = orders(define_pattern(Query, Task, {"o": str}, key="PK = OWNER#{o}").__plan__)
    assert order.prefix == "TASK#"
