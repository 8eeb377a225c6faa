"""A condition is shown as it is written in Python."""

from enum import Enum, StrEnum
from typing import Annotated, Any

import pytest

from tablewright import Entity, Table, fields
from tablewright.design.fields.conditions import Condition
from tablewright.design.fields.descriptions import condition_source


class Status(Enum):
    OPEN = "open"


class Color(StrEnum):
    RED = "red"


class User(Entity, table=Table("users", key="userId")):
    user_id: str
    name: str
    visits: int
    status: Status
    color: Color
    token: Annotated[str, fields.Hashed()]


user: Any = User


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (user.visits > 3, "User.visits > 3"),
        (user.name == "ada", "User.name == 'ada'"),
        (user.name != user.user_id, "User.name != User.user_id"),
        (user.name == None, "User.name == None"),  # noqa: E711
        (user.status == Status.OPEN, "User.status == Status.OPEN"),
        (user.color == Color.RED, "User.color == Color.RED"),
        (user.token == "secret", "User.token == '***'"),
        (user.visits.between(1, 2), "User.visits.between(1, 2)"),
        (user.visits.one_of(1, 2), "User.visits.one_of(1, 2)"),
        (user.name.begins_with("a"), "User.name.begins_with('a')"),
        (user.name.is_absent(), "User.name.is_absent()"),
        (~(user.visits > 3), "~(User.visits > 3)"),
        (
            (user.visits > 3) & user.name.exists() & (user.name == "a"),
            "(User.visits > 3) & User.name.exists() & (User.name == 'a')",
        ),
        (
            (user.visits > 3) & ((user.name == "a") | ~user.name.exists()),
            "(User.visits > 3) & ((User.name == 'a') | ~User.name.exists())",
        ),
    ],
)
def test_condition_source(condition: Condition, text: str) -> None:
    assert condition_source("User", condition) == text
