"""Base models of requests and replies."""

import pytest
from pydantic import ValidationError

from tablewright_systems.service.schemas import Body, View, omittable


class Rename(Body):
    """A new name, with an optional reason."""

    new_name: str = omittable()
    reason: str | None = None


def test_given_has_only_the_fields_that_were_sent() -> None:
    assert Rename.model_validate({"reason": None}).given() == {"reason": None}
    assert Rename.model_validate({}).given() == {}


@pytest.mark.parametrize("sent", [{"newNam": "x"}, {"newName": None}, {"newName": 5}])
def test_unknown_null_and_mistyped_fields_are_rejected(sent: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Rename.model_validate(sent)


def test_omittable_fields_are_neither_required_nor_nullable() -> None:
    schema = Rename.model_json_schema()
    assert "required" not in schema
    assert schema["properties"]["newName"] == {"title": "Newname", "type": "string"}
    assert schema["additionalProperties"] is False


def test_views_are_built_from_attributes_and_written_in_camel_case() -> None:
    class Name(View):
        new_name: str

    assert Name.model_validate(Rename(new_name="Ada")).model_dump(by_alias=True) == {"newName": "Ada"}
