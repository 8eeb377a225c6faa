"""Attributes: fields and nested fields of an entity class, in conditions."""

from enum import StrEnum
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from tablewright import Entity, Table, fields
from tablewright.design.fields.conditions import Comparison, FieldPath, Function, Size
from tablewright.design.fields.entity_attributes import Attribute, path_of


class Place(StrEnum):
    HOME = "home"


class Address(BaseModel):
    city: str
    zip_code: str = ""
    size: int = 0
    path: str = ""


class User(Entity, table=Table("users", key="userId")):
    user_id: str
    name: str
    address: Address | None = None
    addresses: dict[str, Address] = Field(default_factory=dict)
    history: list[Address] = Field(default_factory=list)
    tags: set[str] = Field(default_factory=set)
    token: Annotated[str, fields.Hashed()] = ""


user: Any = User


@pytest.mark.parametrize(
    ("attribute", "parts", "text"),
    [
        (user.name, ("name",), "User.name"),
        (user.address.city, ("address", "city"), "User.address.city"),
        (user.address["city"], ("address", "city"), "User.address.city"),
        (user.address["size"], ("address", "size"), "User.address['size']"),
        (user.address.path, ("address", "path"), "User.address.path"),
        (user.addresses["home"], ("addresses", "home"), "User.addresses['home']"),
        (
            user.addresses[Place.HOME].zip_code,
            ("addresses", "home", "zip_code"),
            "User.addresses['home'].zip_code",
        ),
        (user.history[0].city, ("history", 0, "city"), "User.history[0].city"),
    ],
)
def test_paths(attribute: Attribute[Any], parts: tuple[str | int, ...], text: str) -> None:
    assert path_of(attribute) == FieldPath(User, parts)
    assert repr(attribute) == text


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (
            lambda: user.address.citi,
            AttributeError,
            r"User.address is a Address, .* no field citi; did you mean city\?",
        ),
        (lambda: user.address["citi"], AttributeError, r"no field citi; did you mean city\?"),
        (
            lambda: user.addresses.home,
            AttributeError,
            r'User.addresses is a map; write User.addresses\["home"\]',
        ),
        (lambda: user.history["x"], AttributeError, "User.history is a list"),
        (lambda: user.name[0], AttributeError, "User.name is a str, which has no nested fields"),
        (lambda: user.tags[0], AttributeError, r"User.tags is a set, .* use contains\(\)"),
        (lambda: user.history[True], TypeError, r"User.history\[...\] takes an index or a key, not a bool"),
        (lambda: user.history[0:2], TypeError, "not a slice"),
        (lambda: "x" in user.tags, TypeError, r"write User.tags.contains\(...\) in place of `in`"),
        (lambda: list(user.history), TypeError, "cannot be iterated over"),
        (
            lambda: len(user.name),
            TypeError,
            r"User.name is a field; write User.name.size\(\) in place of len\(\)",
        ),
        (
            lambda: 3 & user.name,
            TypeError,
            r"& and \| join conditions; write parentheses around comparisons: \(User.name == ...\) & \(...\)",
        ),
        (
            lambda: user.name.startswith("A"),
            AttributeError,
            r"User.name has no method startswith; write User.name.begins_with\(...\)",
        ),
        (lambda: not user.name, TypeError, "User.name is a field, not a value; compare it: User.name == ..."),
        (lambda: fields.of("name"), TypeError, r"takes a field of an entity class, .* not 'name'"),
        (lambda: fields.present(None), TypeError, "takes a field of an entity class, .* not None"),
    ],
)
def test_mistakes_are_errors(use: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        use()


def test_of_and_present_return_the_attribute() -> None:
    address = user.address
    assert fields.of(address) is address
    assert fields.present(address) is address
    assert (fields.of(fields.present(User.address).city) == "x") == (user.address.city == "x")


def test_sizes_and_attributes_are_operands() -> None:
    tags, name = FieldPath(User, ("tags",)), FieldPath(User, ("name",))
    assert (user.tags.size() > 3) == Comparison(">", Size(tags), 3)
    assert (user.tags.size() == user.name.size()) == Comparison("=", Size(tags), Size(name))
    assert (user.name != user.address.city) == Comparison("<>", name, FieldPath(User, ("address", "city")))
    assert user.tags.contains(user.name) == Function("contains", tags, name)


def test_values_of_secrets_are_masked() -> None:
    assert "abc" not in repr(user.token == "abc")
    assert "abc" not in repr(user.token.one_of("abc"))


def test_attributes_have_no_data_that_hides_nested_fields() -> None:
    """What is left are methods, which are reached with brackets, as documented."""
    public = {name for name in dir(Attribute) if not name.startswith("_")}
    assert all(callable(getattr(Attribute, name)) for name in public)
