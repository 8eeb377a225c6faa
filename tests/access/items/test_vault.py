"""The vault interface: keys are loaded when they are needed, and without keys no secret is stored."""

from typing import Annotated

import pytest

from tablewright.access.items.vault import (
    KeyNeeded,
    NoVault,
    compute_with_keys,
    lookup_values,
    run_with_keys,
    secret_fields,
)
from tablewright.access.procedures import Call, Procedure, run_sync
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.keys.keys import Keys
from tablewright.errors import SecretError
from tests.access.studio import Room, main


class Login(Entity, table=main, type="LOGIN"):
    login_id: str
    token: Annotated[str | None, markers.Hashed()] = None
    password: Annotated[str | None, markers.Encrypted(context=("login_id",))] = None

    keys = Keys(primary=("LOGIN#{login_id}", "LOGIN"))


class Safe:
    """A procedure that needs a key; one call loads it."""

    def __init__(self) -> None:
        self.has_key = False
        self.runs = 0

    def open(self) -> str:
        self.runs += 1
        if not self.has_key:
            raise KeyNeeded(self._load())
        return "content"

    def _load(self) -> Procedure[None]:
        yield Call("GetItem", {})
        self.has_key = True


def test_work_is_run_again_with_the_key_it_needed() -> None:
    safe, calls = Safe(), list[str]()

    def call(operation: str, request: object) -> dict[str, object]:
        calls.append(operation)
        return {}

    assert run_sync(compute_with_keys(safe.open), call) == "content"
    assert (calls, safe.runs) == (["GetItem"], 2)


def test_a_procedure_is_run_again_with_the_key_it_needed() -> None:
    safe = Safe()

    def procedure() -> Procedure[str]:
        content = safe.open()
        yield Call("PutItem", {})
        return content

    assert run_sync(run_with_keys(procedure), lambda operation, request: {}) == "content"
    assert safe.runs == 2


def test_without_keys_every_use_of_a_secret_is_rejected() -> None:
    vault, layout = NoVault(), Login.layout
    for use in (
        lambda: vault.encrypt(layout, {}),
        lambda: vault.decrypt(layout, {}),
        lambda: vault.hashed(layout, layout.fields["token"], "t"),
    ):
        with pytest.raises(SecretError, match=r"Login has secret fields \(password, token\).*no master key"):
            use()
    with pytest.raises(SecretError, match=r"add it to Design\(..., entities=\[..., Login\]\)"):
        NoVault(is_in_design=False).encrypt(layout, {})


def test_only_present_secret_values_are_hashed() -> None:
    values = {"login_id": "1", "token": None}
    assert lookup_values(NoVault(), Login.layout, values) == values
    assert lookup_values(NoVault(), Room.layout, {"room_id": "1"}) == {"room_id": "1"}
    assert (secret_fields(Login.layout), secret_fields(Room.layout)) == (["password", "token"], [])
