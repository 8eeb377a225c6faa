"""Entities: class definition, attributes in conditions, masking."""

from typing import Annotated

import pytest
from pydantic import ValidationError

from tablewright import Entity, Keys, Table, fields
from tablewright.design.fields.conditions import Comparison, FieldPath

main = Table("main", key=("PK", "SK"))


class User(Entity, table=main, type="USER", expect=fields.Expect(items=3)):
    user_id: str
    created_by: str | None = None
    token: Annotated[str | None, fields.Encrypted()] = None
    keys = Keys(primary=("USER#{user_id}", "USER"))


def test_the_layout_has_what_the_class_declares() -> None:
    layout = User.layout
    assert (layout.entity, layout.table, layout.type_name) == (User, main, "USER")
    assert layout.expect.items == 3
    assert layout.fields["created_by"].stored == "createdBy"


def test_fields_of_the_class_make_conditions() -> None:
    condition: object = User.user_id == "u1"
    assert condition == Comparison("=", FieldPath(User, ("user_id",)), "u1")
    with pytest.raises(AttributeError):
        User.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_secrets_are_masked_in_reprs_conditions_and_errors() -> None:
    assert "s3cret" not in repr(User(user_id="u1", token="s3cret"))
    assert "s3cret" not in repr(User.token == "s3cret")
    with pytest.raises(ValidationError) as caught:
        User(user_id="u1", token=["s3cret"])  # type: ignore[arg-type]
    assert "s3cret" not in str(caught.value)


def test_unknown_fields_are_rejected() -> None:
    with pytest.raises(ValidationError, match="User has no field tokn; did you mean token\\?"):
        User(user_id="u1", tokn="x")  # type: ignore[call-arg]
