"""Key rotation: rewrap, rotate, reencrypt and shred."""

import asyncio
from collections.abc import Iterator

import pytest

from tablewright import Get, Repository, connect
from tablewright.access.encryption import key_rotation
from tablewright.access.encryption.data_keys import KeyName
from tablewright.access.encryption.keyrings import MemoryKeys
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import KeyringError, SecretShredded, UsageError
from tests.access.encryption.secrets_store import (
    KEY_TABLE,
    PLAIN,
    Note,
    OAuth,
    Store,
    design,
    items_in,
    oauth,
    plain,
)


class CountingKeys(MemoryKeys):
    unwrapped = 0

    def unwrap(self, master: str, wrapped: bytes, purpose: str) -> bytes:
        self.unwrapped += 1
        return super().unwrap(master, wrapped, purpose)


class TestRotate:
    def test_rewrap_uses_the_newest_master_key(self, store: Store) -> None:
        encrypted = store.encrypt(oauth())
        store.keyring.rotate()
        assert store.run_sync(key_rotation.rewrap(store.context)) == 1
        assert store.run_sync(key_rotation.rewrap(store.context)) == 0
        (item,) = store.db.call("Scan", {"TableName": KEY_TABLE})["Items"]
        assert item["keys"]["L"][0]["M"]["master"] == {"S": store.keyring.newest}
        again = Store(store.db, store.keyring)
        assert again.decrypt(OAuth.layout, encrypted) == plain(oauth())

    def test_a_keyring_without_the_master_key_is_an_error(self, store: Store) -> None:
        encrypted = store.encrypt(oauth())
        other_store = Store(store.db, MemoryKeys())
        with pytest.raises(KeyringError, match="is not in this keyring"):
            other_store.decrypt(OAuth.layout, encrypted)

    def test_a_wrapped_key_does_not_unwrap_for_another_tenant(self, store: Store) -> None:
        store.encrypt(oauth("a1"))
        store.encrypt(oauth("a2"))
        one, two = store.db.call("Scan", {"TableName": KEY_TABLE})["Items"]
        store.db.call("PutItem", {"TableName": KEY_TABLE, "Item": {**two, "keys": one["keys"]}})
        fresh = Store(store.db, store.keyring)
        with pytest.raises(KeyringError, match="wrapped for another purpose"):
            fresh.run_sync(fresh.vault._fetch({key_name_of(two): set()}))

    def test_rotate_adds_a_key_and_reencrypt_moves_items_to_it(self, store: Store) -> None:
        before = store.put(oauth(refresh="r"))
        other = store.put(oauth("a2"))
        where = {"account_id": "a1", "source_id": "s1"}
        assert store.run_sync(key_rotation.rotate(store.context, OAuth.layout, where)) == 1
        after = store.encrypt(oauth(refresh="r"))
        assert after["tokens"]["B"][1:17] != before["tokens"]["B"][1:17]
        assert store.decrypt(OAuth.layout, before) == store.decrypt(OAuth.layout, after)
        assert store.run_sync(key_rotation.reencrypt(store.context, OAuth.layout)) == 1
        assert store.run_sync(key_rotation.reencrypt(store.context, OAuth.layout)) == 0
        found = {item["accountId"]["S"]: item for item in items_in(store)}
        assert found["a1"]["tokens"]["B"][1:17] == after["tokens"]["B"][1:17]
        assert found["a1"]["refresh"]["B"][1:17] == after["refresh"]["B"][1:17]
        assert found["a2"] == other
        assert store.decrypt(OAuth.layout, found["a1"]) == plain(oauth(refresh="r"))

    def test_only_needed_keys_are_unwrapped(self, store: Store) -> None:
        where = {"account_id": "a1", "source_id": "s1"}
        encrypted = [store.encrypt(oauth())]
        for _ in range(3):
            store.run_sync(key_rotation.rotate(store.context, OAuth.layout, where))
            encrypted.append(store.encrypt(oauth()))
        keyring = CountingKeys(store.keyring._keys)
        other = Store(store.db, keyring)
        for item in [encrypted[0], encrypted[3], encrypted[0], encrypted[1]]:
            assert other.decrypt(OAuth.layout, item) == plain(oauth())
        assert keyring.unwrapped == 3

    def test_another_process_loads_a_new_key_when_it_needs_it(self, store: Store) -> None:
        store.encrypt(oauth())
        other = Store(store.db, store.keyring)
        other.run_sync(
            key_rotation.rotate(other.context, OAuth.layout, {"account_id": "a1", "source_id": "s1"})
        )
        assert store.decrypt(OAuth.layout, other.encrypt(oauth())) == plain(oauth())


class TestShred:
    def test_all_data_of_a_tenant_becomes_unreadable_and_no_other(self, store: Store) -> None:
        mine = [store.encrypt(oauth("a1", source)) for source in ("s1", "s2")]
        note = store.encrypt(Note(note_id="1", account_id="a1", text=PLAIN))
        others = store.encrypt(oauth("a2"))
        assert store.run_sync(key_rotation.shred(store.context, OAuth.layout, {"account_id": "a1"})) == 3
        for layout, item in [(OAuth.layout, mine[0]), (OAuth.layout, mine[1]), (Note.layout, note)]:
            with pytest.raises(SecretShredded) as error:
                store.decrypt(layout, item)
            assert PLAIN not in str(error.value)
        assert store.decrypt(OAuth.layout, others) == plain(oauth("a2"))

    def test_further_values_select_fewer_contexts(self, store: Store) -> None:
        first, second = (store.encrypt(oauth("a1", source)) for source in ("s1", "s2"))
        where = {"account_id": "a1", "source_id": "s1"}
        assert store.run_sync(key_rotation.shred(store.context, OAuth.layout, where)) == 1
        with pytest.raises(SecretShredded):
            store.decrypt(OAuth.layout, first)
        assert store.decrypt(OAuth.layout, second) == plain(oauth("a1", "s2"))

    def test_a_tenant_that_returns_gets_a_new_key(self, store: Store) -> None:
        old = store.encrypt(oauth())
        store.run_sync(key_rotation.shred(store.context, OAuth.layout, {"account_id": "a1"}))
        new = store.encrypt(oauth())
        assert store.decrypt(OAuth.layout, new) == plain(oauth())
        with pytest.raises(SecretShredded, match=r"OAuth\.tokens"):
            store.decrypt(OAuth.layout, old)

    def test_other_processes_drop_a_key_after_its_lifetime(self, store: Store) -> None:
        other = Store(store.db, store.keyring, lifetime=60)
        encrypted = other.encrypt(oauth())
        store.run_sync(key_rotation.shred(store.context, OAuth.layout, {"account_id": "a1"}))
        assert other.decrypt(OAuth.layout, encrypted) == plain(oauth())
        other.time = 60
        with pytest.raises(SecretShredded):
            other.decrypt(OAuth.layout, encrypted)

    def test_reencrypt_skips_shredded_items(self, store: Store) -> None:
        encrypted = store.put(oauth())
        store.run_sync(key_rotation.shred(store.context, OAuth.layout, {"account_id": "a1"}))
        assert store.run_sync(key_rotation.reencrypt(store.context, OAuth.layout)) == 0
        assert items_in(store) == [encrypted]

    @pytest.mark.parametrize("values", [{}, {"source_id": "s1"}, {"account_id": "a1", "api_key": "x"}])
    def test_the_leading_value_is_required(self, store: Store, values: dict[str, str]) -> None:
        with pytest.raises(UsageError, match="account_id"):
            store.run_sync(key_rotation.shred(store.context, OAuth.layout, values))


def key_name_of(item: Item) -> KeyName:
    return KeyName(item["owner"]["S"], item["context"]["S"])


class OAuthOf(Get[OAuth]):
    account_id: str
    source_id: str


FIRST = OAuthOf(account_id="a1", source_id="s1")


@pytest.fixture
def keyring() -> MemoryKeys:
    return MemoryKeys()


@pytest.fixture
def db(keyring: MemoryKeys) -> Iterator[Repository]:
    with connect(design, secrets=keyring) as db:
        db.create(oauth())
        yield db


def test_called(db: Repository, keyring: MemoryKeys) -> None:
    keyring.rotate()
    assert db.keys.rewrap() == 1
    assert db.keys.rotate(OAuth, account_id="a1", source_id="s1") == 1
    assert db.keys.reencrypt(OAuth) == 1
    assert db.run(FIRST) == oauth()
    assert db.keys.shred(OAuth, account_id="a1") == 1
    with pytest.raises(SecretShredded):
        db.run(FIRST)


def test_awaited(db: Repository, keyring: MemoryKeys) -> None:
    async def administer() -> list[int]:
        keys = db.aio.keys
        return [
            await keys.rewrap(),
            await keys.rotate(OAuth, account_id="a1", source_id="s1"),
            await keys.reencrypt(OAuth),
            await keys.shred(OAuth, account_id="a1"),
        ]

    keyring.rotate()
    assert asyncio.run(administer()) == [1, 1, 1, 1]
    with pytest.raises(SecretShredded):
        db.run(FIRST)
