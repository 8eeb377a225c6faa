"""Encryption errors: one base class, and messages that name the field."""

import pytest

from tablewright.errors import SecretAltered, SecretError, SecretShredded


@pytest.mark.parametrize("kind", [SecretAltered, SecretShredded])
def test_a_message_names_entity_and_field(kind: type[SecretAltered | SecretShredded]) -> None:
    error = kind("User", "card")
    assert isinstance(error, SecretError)
    assert str(error).startswith("User.card ")
    assert (error.entity, error.field) == ("User", "card")
