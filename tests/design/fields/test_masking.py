"""Secret values are masked in reprs and in validation errors."""

import pytest
from pydantic import BaseModel, ValidationError

from tablewright.design.fields.masking import MASK, hide_input, masked, masked_values

SECRETS = frozenset({"token"})


def test_secrets_are_masked_and_none_is_not() -> None:
    assert masked(SECRETS, [("token", "abc"), ("name", "Ada")]) == [("token", MASK), ("name", "Ada")]
    assert masked_values(SECRETS, {"token": None, "name": "Ada"}) == {"token": None, "name": "Ada"}


def test_rejected_values_are_hidden() -> None:
    class Login(BaseModel):
        pin: int

    hide_input(Login)
    with pytest.raises(ValidationError) as caught:
        Login(pin="s3cret")  # type: ignore[arg-type]
    assert "s3cret" not in str(caught.value)
