"""Access patterns: a pattern is a class with a plan, a request is its instance."""

from typing import Annotated, Any

import pytest
from pydantic import ValidationError

from tablewright import BatchGet, Entity, Find, Get, Index, Keys, Query, Scan, Table, fields
from tablewright.errors import DesignError

main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK")])


class User(Entity, table=main, type="USER"):
    user_id: str
    pin: Annotated[str, fields.Hashed()]
    keys = Keys(primary=("USER#{user_id}", "USER"), GSI1="PIN#{pin}")


class Guest(Entity, table=main, type="GUEST"):
    user_id: str
    keys = Keys(primary=("USER#{user_id}", "GUEST"))


class UserById(Get[User]):
    user_id: str


class People(Query[User | Guest]):
    user_id: str
    key = "PK = USER#{user_id}"


class UserByPin(Find[User]):
    pin: str
    key = "GSI1PK = PIN#{pin}"


def test_a_pattern_may_return_several_entities() -> None:
    assert People.__plan__.layouts == (User.layout, Guest.layout)


@pytest.mark.parametrize(
    ("base", "kind"), [(Get, "get"), (Find, "find"), (Query, "query"), (Scan, "scan"), (BatchGet, "batch")]
)
def test_base_classes_have_a_kind_and_no_plan(base: Any, kind: str) -> None:
    assert base.__kind__ == kind
    assert not hasattr(base, "__plan__")


def test_a_pattern_returns_entities_only() -> None:
    with pytest.raises(DesignError, match=r"Wrong returns int, which is not an Entity; write Query\[User\]"):

        class Wrong(Query[int]):
            pass


def test_settings_are_not_class_arguments() -> None:
    message = (
        "LastUser has no class argument descending; settings are written in the class: descending = True"
    )
    with pytest.raises(DesignError, match=message):

        class LastUser(Get[User], descending=True):
            user_id: str


def test_a_request_is_immutable_and_complete() -> None:
    request = UserById(user_id="u1")
    with pytest.raises(ValidationError, match="frozen"):
        request.user_id = "u2"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="user_id"):
        UserById()  # type: ignore[call-arg]
    with pytest.raises(ValidationError, match="UserById has no parameter other; it has: user_id"):
        UserById(user_id="u1", other=1)  # type: ignore[call-arg]


def test_secret_parameters_are_masked() -> None:
    assert repr(UserByPin(pin="1234")) == "UserByPin(pin='***')"
    with pytest.raises(ValidationError) as caught:
        UserByPin(pin=1234)  # type: ignore[arg-type]
    assert "1234" not in str(caught.value)
