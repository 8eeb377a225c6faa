"""Data keys: wrapped keys in the key table, written only if no other process changed them."""

from typing import Any

import pytest

from tablewright.access.encryption import data_keys
from tablewright.access.encryption.data_keys import KeyName, WrappedKey
from tablewright.access.procedures import Pause, Reply, run_sync
from tablewright.design.fields.markers import Encrypted
from tablewright.errors import SecretError
from tests.access.encryption.secrets_store import KEY_TABLE, Note, OAuth, Store, oauth, plain

ONE, TWO = (WrappedKey(bytes([number]) * 16, "master", b"wrapped") for number in (1, 2))
NAME = KeyName.of(("accountId", "a1"), ("sourceId", "s1"))


def test_a_name_has_the_leading_part_as_owner() -> None:
    assert (NAME.owner, NAME.context) == ('[["accountId","a1"]]', '[["accountId","a1"],["sourceId","s1"]]')
    assert NAME.covers([("accountId", "a1")])
    assert NAME.covers([("sourceId", "s1"), ("accountId", "a1")])
    assert not NAME.covers([("accountId", "a2")])


def test_the_context_of_a_field_names_its_key() -> None:
    field, marker = next(iter(OAuth.layout.marked(Encrypted)))
    assert data_keys.key_name(OAuth.layout, field, marker, plain(oauth())) == NAME


def test_a_field_without_context_has_a_key_for_its_entity() -> None:
    (draft,) = [pair for pair in Note.layout.marked(Encrypted) if pair[0].name == "draft"]
    assert data_keys.key_name(Note.layout, *draft, {}) == KeyName.of(("entity", "secrets-main", "NOTE"))


@pytest.mark.parametrize(
    ("item", "message"),
    [({}, "does not have; add account_id"), ({"accountId": {"B": b"a"}}, "neither text nor number")],
)
def test_a_context_needs_a_text_or_a_number(item: Any, message: str) -> None:
    field, marker = next(iter(Note.layout.marked(Encrypted)))
    with pytest.raises(SecretError, match=message):
        data_keys.key_name(Note.layout, field, marker, item)


def test_keys_are_added_in_order(store: Store) -> None:
    assert store.run_sync(data_keys.add(KEY_TABLE, NAME, [], ONE))
    assert store.run_sync(data_keys.add(KEY_TABLE, NAME, [ONE], TWO))
    assert store.run_sync(data_keys.load(KEY_TABLE, [NAME])) == {NAME: [ONE, TWO]}


def test_keys_that_another_process_changed_are_not_overwritten(store: Store) -> None:
    assert store.run_sync(data_keys.add(KEY_TABLE, NAME, [], ONE))
    assert not store.run_sync(data_keys.add(KEY_TABLE, NAME, [], TWO))
    assert not store.run_sync(data_keys.replace(KEY_TABLE, NAME, [TWO], [ONE, TWO]))
    assert store.run_sync(data_keys.load(KEY_TABLE, [NAME])) == {NAME: [ONE]}


def test_keys_of_one_owner_and_of_all(store: Store) -> None:
    other = KeyName.of(("accountId", "a2"))
    for name in (NAME, other):
        store.run_sync(data_keys.add(KEY_TABLE, name, [], ONE))
    assert store.run_sync(data_keys.load_owner(KEY_TABLE, other.owner)) == {other: [ONE]}
    assert store.run_sync(data_keys.load_all(KEY_TABLE)) == {NAME: [ONE], other: [ONE]}
    store.run_sync(data_keys.delete(KEY_TABLE, [NAME]))
    assert store.run_sync(data_keys.load_all(KEY_TABLE)) == {other: [ONE]}


def test_unprocessed_keys_are_loaded_again_after_a_pause(store: Store) -> None:
    store.run_sync(data_keys.add(KEY_TABLE, NAME, [], ONE))
    replies: list[Reply] = []
    pauses: list[float] = []

    def call(operation: str, request: dict[str, Any]) -> Reply:
        if not replies:
            replies.append({"Responses": {}, "UnprocessedKeys": request["RequestItems"]})
            return replies[0]
        return store.call(operation, request)

    assert run_sync(data_keys.load(KEY_TABLE, [NAME]), call, pauses.append) == {NAME: [ONE]}
    assert pauses == [Pause(0.05).seconds]
