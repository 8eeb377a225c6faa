"""Filters over field names are compiled to DynamoDB expressions with aliases."""

from typing import Annotated

import pytest
from pydantic import BaseModel

from tablewright import Entity, Keys, Table, fields
from tablewright.design.plans.filters import FilterError, compile_filter

main = Table("main", key=("PK", "SK"))


class Address(BaseModel):
    zip_code: str


class User(Entity, table=main, type="USER"):
    user_id: str
    status: str
    address: Address
    tags: list[str]
    token: Annotated[str, fields.Encrypted()]
    keys = Keys(primary=("USER#{user_id}", "USER"))


class Guest(Entity, table=main, type="GUEST"):
    guest_id: str
    state: str
    keys = Keys(primary=("GUEST#{guest_id}", "GUEST"))


LAYOUTS = (User.layout, Guest.layout)


def test_names_become_aliases_of_stored_names() -> None:
    found = compile_filter("user_id = :id AND size(tags) > :n AND address.zip_code = :zip", LAYOUTS)
    assert found.expression == "#f0 = :id AND size ( #f1 ) > :n AND #f2.#f3 = :zip"
    assert dict(found.names) == {"#f0": "userId", "#f1": "tags", "#f2": "address", "#f3": "zip_code"}
    assert found.fields == ("user_id", "tags", "address")
    assert found.parameters == ("id", "n", "zip")


def test_a_repeated_name_has_one_alias() -> None:
    found = compile_filter("status = :a OR status = :b", LAYOUTS)
    assert dict(found.names) == {"#f0": "status"}


def test_whether_a_secret_exists_may_be_tested() -> None:
    assert compile_filter("attribute_exists(token)", LAYOUTS).fields == ("token",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stauts = :s", r"stauts is not a field of User or Guest; did you mean status\?"),
        ("zzz = :s", "zzz is not a field of User or Guest; use field names, and parameters as :name"),
        ("token = :t", "token is encrypted, so its value cannot be compared; test whether it exists"),
        ("status = ", "write a DynamoDB filter expression, with parameters as :name"),
    ],
)
def test_invalid_filters_are_rejected(text: str, message: str) -> None:
    with pytest.raises(FilterError, match=message):
        compile_filter(text, LAYOUTS)
