"""Items encrypted and decrypted as a whole."""

from typing import Annotated, Any

import pytest

from tablewright.access.context import Context
from tablewright.access.items.vault import (
    decrypted_item,
    encrypted_item,
    hashed_item,
    reencrypted_item,
)
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.keys.keys import Keys
from tablewright.errors import SecretAltered
from tests.access.studio import Room, main
from tests.access.writes.vaults import CountingVault


class Login(Entity, table=main, type="LOGIN"):
    login_id: str
    tenant: str = "t"
    password: Annotated[str | None, markers.Encrypted(context=("tenant",))] = None
    token: Annotated[str | None, markers.Hashed()] = None

    keys = Keys(primary=("LOGIN#{login_id}", "LOGIN"))


PLAIN = {
    "PK": {"S": "LOGIN#1"},
    "SK": {"S": "LOGIN"},
    "tenant": {"S": "t"},
    "password": {"S": "p"},
    "token": {"S": "k"},
}
CONTEXT = Context(vault=CountingVault())


def test_encrypted_attributes_are_decrypted_and_hashes_stay() -> None:
    encrypted = encrypted_item(CONTEXT.vault, Login.layout, PLAIN)
    assert encrypted["password"].keys() == {"B"}
    assert decrypted_item(CONTEXT.vault, Login.layout, encrypted) == {**PLAIN, "token": {"S": "hash:k"}}


def test_attributes_that_a_copy_hides_are_encrypted_where_they_are() -> None:
    copy = {name: value for name, value in PLAIN.items() if name != "password"}
    encrypted = encrypted_item(
        CONTEXT.vault, Login.layout, {**copy, "_kept": {"M": {"password": {"S": "p"}}}}
    )
    assert "password" not in encrypted
    assert encrypted["_kept"]["M"]["password"].keys() == {"B"}
    assert decrypted_item(CONTEXT.vault, Login.layout, encrypted)["password"] == {"S": "p"}


def test_a_value_that_was_never_encrypted_stays() -> None:
    assert decrypted_item(CONTEXT.vault, Login.layout, PLAIN) == PLAIN


def test_an_altered_ciphertext_is_raised() -> None:
    encrypted = encrypted_item(CONTEXT.vault, Login.layout, PLAIN)
    with pytest.raises(SecretAltered):
        decrypted_item(CONTEXT.vault, Login.layout, {**encrypted, "PK": {"S": "LOGIN#2"}})


@pytest.mark.parametrize(
    ("change", "stays"),
    [
        ({"note": {"S": "n"}}, True),
        ({"password": {"S": "q"}}, False),
        ({"tenant": {"S": "u"}}, False),
        ({"PK": {"S": "LOGIN#2"}}, False),
    ],
)
def test_a_ciphertext_stays_unless_something_it_is_bound_to_changes(change: Any, stays: bool) -> None:
    found = encrypted_item(CONTEXT.vault, Login.layout, PLAIN)
    decrypted = decrypted_item(CONTEXT.vault, Login.layout, found)
    again = reencrypted_item(CONTEXT.vault, Login.layout, found, decrypted, {**decrypted, **change})
    assert (again["password"] == found["password"]) is stays


def test_hashed_values_are_hashed() -> None:
    assert hashed_item(CONTEXT.vault, Login.layout, PLAIN) == {**PLAIN, "token": {"S": "hash:k"}}


def test_items_without_secrets_are_returned_as_they_are() -> None:
    item = {"PK": {"S": "ROOM#1"}}
    assert encrypted_item(CONTEXT.vault, Room.layout, item) is item
    assert decrypted_item(CONTEXT.vault, Room.layout, item) is item
    assert hashed_item(CONTEXT.vault, Room.layout, item) is item


@pytest.mark.parametrize("kept", [{"S": "x"}, {"L": []}, {"NULL": True}])
def test_hidden_attributes_that_are_no_map_are_ignored(kept: dict[str, Any]) -> None:
    item = {**PLAIN, "_kept": kept}
    assert decrypted_item(CONTEXT.vault, Login.layout, item) == item
    assert encrypted_item(CONTEXT.vault, Login.layout, item)["_kept"] == kept
