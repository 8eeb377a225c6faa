"""A misspelt argument is reported with the class and the nearest name, as a ValidationError of pydantic."""

import copy
import sys
import warnings
from typing import Annotated, Any, Self

import pytest
from pydantic import AfterValidator, BaseModel, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from tablewright import Entity, Get, Query, Table, fields
from tablewright.design.argument_errors import suggestion
from tablewright.errors import InvalidWrite

main = Table("users", key="userId")


class Address(BaseModel, extra="forbid"):
    city: str = ""


def check_code(code: str) -> str:
    if code == "custom":
        raise PydanticCustomError("unknown_code", "{code} is unknown, {as} written", {"code": code})
    if code == "plain":
        raise ValueError("the code is too plain")
    return code


class User(Entity, table=main):
    user_id: str
    name: str = ""
    visits: int = 0
    code: Annotated[str, AfterValidator(check_code)] = ""
    address: Address | None = None


class Account(Entity, table=Table("accounts", key="accountId")):
    account_id: str
    password: Annotated[str, fields.Encrypted()]


class UserById(Get[User]):
    user_id: str


class UsersNamed(Query[User]):
    user_id: str
    key = "userId = {user_id}"


def problems(model: type[BaseModel], **arguments: Any) -> dict[str, tuple[str, str]]:
    """The type and the message of each problem, by its place."""
    with pytest.raises(ValidationError) as caught:
        model(**arguments)
    assert caught.value.title == model.__name__
    return {".".join(map(str, each["loc"])): (each["type"], each["msg"]) for each in caught.value.errors()}


@pytest.mark.parametrize(
    ("model", "arguments", "message"),
    [
        (User, {"user_id": "u1", "nam": "z"}, "User has no field nam; did you mean name?"),
        (
            User,
            {"user_id": "u1", "colour": "z"},
            "User has no field colour; it has: user_id, name, visits, code, address",
        ),
        (
            UserById,
            {"user_id": "u1", "usr_id": "u1"},
            "UserById has no parameter usr_id; did you mean user_id?",
        ),
        (UsersNamed, {"user_id": "u1", "limit": 3}, "UsersNamed has no parameter limit; it has: user_id"),
    ],
)
def test_an_unknown_argument_is_named_with_the_nearest(
    model: type[BaseModel], arguments: dict[str, Any], message: str
) -> None:
    assert problems(model, **arguments) == {list(arguments)[1]: ("extra_forbidden", message)}


def test_other_problems_of_the_same_call_are_kept() -> None:
    found = problems(User, nam="z", visits="many", code="plain")
    assert found == {
        "userId": ("missing", "Field required"),
        "visits": ("int_parsing", "Input should be a valid integer, unable to parse string as an integer"),
        "code": ("value_error", "Value error, the code is too plain"),
        "nam": ("extra_forbidden", "User has no field nam; did you mean name?"),
    }


def test_the_message_of_a_custom_error_is_kept() -> None:
    found = problems(User, user_id="u1", nam="z", code="custom")
    assert found["code"] == ("unknown_code", "custom is unknown, {as} written")
    assert found["code"] == problems(User, user_id="u1", code="custom")["code"]


def test_a_nested_model_reports_its_own_problems() -> None:
    found = problems(User, user_id="u1", address={"cty": "Ulm"}, nam="z")
    assert found["address.cty"] == ("extra_forbidden", "Extra inputs are not permitted")
    assert found["nam"][1] == "User has no field nam; did you mean name?"


def test_an_error_without_unknown_arguments_is_unchanged() -> None:
    assert problems(User, user_id=3) == {"user_id": ("string_type", "Input should be a valid string")}


def test_secrets_are_not_shown() -> None:
    with pytest.raises(
        ValidationError, match=r"Account has no field pasword; did you mean password\?"
    ) as caught:
        Account(account_id="a1", pasword="hunter2")  # type: ignore[call-arg]
    assert "hunter2" not in str(caught.value)


def test_stored_names_are_accepted() -> None:
    assert User.model_validate({"userId": "u1"}) == User(user_id="u1")


def test_pydantic_does_not_call_the_constructor_in_every_validation() -> None:
    """Pydantic would validate through Python code, which makes reading slow."""
    assert not User.__pydantic_custom_init__
    assert not UserById.__pydantic_custom_init__


def test_a_validator_that_returns_another_object_is_reported() -> None:
    class Odd(Entity, table=main):
        user_id: str

        @model_validator(mode="after")
        def other(self) -> Self:
            return self.model_copy()

    with pytest.warns(
        UserWarning, match="a validator of Odd returns another object, which is ignored; return self"
    ):
        Odd(user_id="u1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        User(user_id="u1")


def test_a_replaced_request_is_validated() -> None:
    """`copy.replace` of Python 3.13 calls this method; that of pydantic does not validate."""
    request = UserById(user_id="u1")
    replace = type(request).__replace__  # type: ignore[attr-defined]
    assert replace(request, user_id="u2") == UserById(user_id="u2")
    with pytest.raises(ValidationError, match="valid string"):
        replace(request, user_id=3)
    with pytest.raises(ValidationError, match=r"UserById has no parameter usr_id; did you mean user_id\?"):
        replace(request, usr_id="u2")


def test_a_replaced_entity_is_validated_and_keeps_what_was_set() -> None:
    user = User(user_id="u1", name="Ada")
    replace = type(user).__replace__  # type: ignore[attr-defined]
    replaced = replace(user, visits=3)
    assert (replaced.visits, replaced.model_fields_set) == (3, {"user_id", "name", "visits"})
    with pytest.raises(ValidationError, match="valid integer"):
        replace(user, visits="many")
    with pytest.raises(InvalidWrite, match=r"User has no field vists; did you mean visits\?"):
        replace(user, vists=3)
    if sys.version_info >= (3, 13):
        assert copy.replace(user, visits=3) == replaced


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("nmae", ["name", "email"], "did you mean name?"),
        ("user", ["user_id", "user_ids"], "did you mean user_id?"),
        ("colour", ["name", "name", "email"], "it has: name, email"),
        ("name", [], "it has: none"),
    ],
)
def test_suggestion(name: str, known: list[str], expected: str) -> None:
    assert suggestion(name, known) == expected
