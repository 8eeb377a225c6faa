"""Secrets: what is sealed opens where it belongs and nowhere else, and shows nowhere."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from threading import Barrier
from typing import Annotated, Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, ValidationError

from tablewright import embedded
from tablewright.access.calls.procedures import Procedure, run_sync
from tablewright.access.context import Context
from tablewright.access.encryption import key_rotation
from tablewright.access.encryption.keyrings import MemoryKeys
from tablewright.access.encryption.secret_vault import SecretVault
from tablewright.access.items.value_codec import from_attribute, model_attributes, to_attribute
from tablewright.access.items.vault import compute_with_keys
from tablewright.connections import Embedded
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.fields.markers import Digest
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.layouts.layouts import Layout
from tablewright.design.patterns.patterns import Get
from tablewright.design.tables.tables import Index, Table
from tablewright.errors import (
    DesignError,
    KeyringError,
    SecretAltered,
    SecretError,
    SecretShredded,
    UsageError,
)
from tablewright.values.attributes import Item

T = TypeVar("T")

main = Table("secrets-main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK")])
PLAIN = "correct horse battery staple"


class Tokens(BaseModel):
    access: str
    scopes: set[str] = set()


class OAuth(Entity, table=main, type="OAUTH"):
    account_id: str
    source_id: str
    tokens: Annotated[Tokens, markers.Encrypted(context=("account_id", "source_id"))]
    refresh: Annotated[Any, markers.Encrypted(context=("account_id", "source_id"))] = None
    api_key: Annotated[str | None, Field(max_length=40), markers.Hashed()] = None
    keys = Keys(primary=("ACCOUNT#{account_id}", "SOURCE#{source_id}"), GSI1=("{api_key}",))


class Note(Entity, table=main, type="NOTE"):
    note_id: str
    account_id: str
    text: Annotated[str, markers.Encrypted(context=("account_id",))]
    draft: Annotated[str | None, markers.Encrypted()] = None
    keys = Keys(primary=("NOTE#{note_id}", "NOTE"))


class Memo(Entity, table=main, type="MEMO"):
    note_id: str
    account_id: str
    text: Annotated[str, markers.Encrypted(context=("account_id",))]
    api_key: Annotated[str | None, markers.Hashed()] = None
    keys = Keys(primary=("NOTE#{note_id}", "NOTE"))


class OAuthByKey(Get[OAuth]):
    account_id: str
    source_id: str


design = Design("secrets", entities=[OAuth, Note, Memo])


class Store:
    """An embedded database, and a vault on it."""

    def __init__(self, db: Embedded, keyring: MemoryKeys | None = None, lifetime: float = 300.0) -> None:
        self.db = db
        self.time = 0.0
        self.keyring = keyring or MemoryKeys()
        assert design.key_table is not None
        self.vault = SecretVault(
            self.keyring, design.key_table.physical_name(), lifetime=lifetime, clock=lambda: self.time
        )
        self.context = Context(vault=self.vault)
        self.calls: list[str] = []

    def run_sync(self, procedure: Procedure[T]) -> T:
        def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
            self.calls.append(operation)
            return self.db.call(operation, request)

        return run_sync(procedure, call)

    def seal(self, entity: Entity) -> Item:
        return self.seal_item(entity.layout, stored(entity))

    def seal_item(self, layout: Layout, item: Item) -> Item:
        return self.run_sync(compute_with_keys(lambda: self.vault.encrypt(layout, item)))

    def open(self, layout: Layout, item: Item) -> Item:
        return self.run_sync(compute_with_keys(lambda: self.vault.decrypt(layout, item)))

    def put(self, entity: Entity) -> Item:
        sealed = self.seal(entity)
        self.db.call("PutItem", {"TableName": main.name, "Item": sealed})
        return sealed


@pytest.fixture
def store() -> Any:
    with embedded() as db:
        for table in design.tables:
            db.call("CreateTable", table.definition())
        yield Store(db)


def stored(entity: Entity) -> Item:
    key = {name: {"S": template.render(entity.__dict__)} for name, template in entity.layout.primary.parts}
    return {**key, "type": {"S": entity.layout.type_name}, **model_attributes(entity)}


def oauth(account: str = "a1", source: str = "s1", **more: Any) -> OAuth:
    return OAuth(account_id=account, source_id=source, tokens=Tokens(access=PLAIN), **more)


def test_what_is_sealed_opens_again_and_is_not_stored_in_the_clear(store: Store) -> None:
    item = stored(oauth(refresh=PLAIN))
    sealed = store.put(oauth(refresh=PLAIN))
    everything = [store.db.call("Scan", {"TableName": table.name}) for table in design.tables]
    assert PLAIN not in str(everything)
    assert set(sealed["tokens"]) == {"B"}
    assert store.open(OAuth.layout, sealed) == item


class Colour(Enum):
    RED = "red"


VALUES = [
    "",
    "text",
    7,
    Decimal("1.50"),
    2.5,
    True,
    b"\x00\xff",
    [1, [b"x", None]],
    {"B": "a map with the name of a type", "BS": [1]},
    {"a", "b"},
    {1, 2},
    {b"a", b"b"},
    date(2025, 1, 1),
    datetime(2025, 1, 1, tzinfo=UTC),
    Colour.RED,
    Tokens(access="x", scopes={"read"}),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_every_value_that_can_be_stored_can_be_sealed(store: Store, value: Any) -> None:
    sealed = store.seal(oauth(refresh=value))
    opened = store.open(OAuth.layout, sealed)
    assert from_attribute(opened["refresh"]) == from_attribute(to_attribute(value))


LEAVES = st.none() | st.booleans() | st.integers(-(10**37), 10**37) | st.text() | st.binary()
ANYTHING = st.recursive(LEAVES, lambda each: st.lists(each) | st.dictionaries(st.text(min_size=1), each))


@given(value=ANYTHING.filter(lambda value: value is not None))
def test_whatever_is_sealed_opens_as_it_was(value: Any) -> None:
    store = _shared_store()
    opened = store.open(OAuth.layout, store.seal(oauth(refresh=value)))
    assert opened["refresh"] == to_attribute(value)


def test_the_same_value_is_sealed_differently_every_time(store: Store) -> None:
    assert store.seal(oauth())["tokens"] != store.seal(oauth())["tokens"]


def moved_to_another_item(store: Store, sealed: Item) -> tuple[Layout, Item]:
    return Note.layout, {**sealed, "PK": {"S": "NOTE#2"}}


def moved_to_another_sort_key(store: Store, sealed: Item) -> tuple[Layout, Item]:
    return Note.layout, {**sealed, "SK": {"S": "OTHER"}}


def moved_to_another_field(store: Store, sealed: Item) -> tuple[Layout, Item]:
    other = Note(note_id="1", account_id="a1", text="other", draft="draft")
    return Note.layout, {**store.seal(other), "draft": sealed["text"]}


def moved_to_another_entity(store: Store, sealed: Item) -> tuple[Layout, Item]:
    return Memo.layout, sealed


def moved_to_another_tenant(store: Store, sealed: Item) -> tuple[Layout, Item]:
    store.seal(Note(note_id="1", account_id="a2", text="makes the key of a2"))
    return Note.layout, {**sealed, "accountId": {"S": "a2"}}


def moved_to_another_table(store: Store, sealed: Item) -> tuple[Layout, Item]:
    return replace(Note.layout, table=Table("elsewhere", key=("PK", "SK"))), sealed


def changed_in_one_bit(store: Store, sealed: Item) -> tuple[Layout, Item]:
    envelope = bytearray(sealed["text"]["B"])
    envelope[-1] ^= 1
    return Note.layout, {**sealed, "text": {"B": bytes(envelope)}}


def changed_in_its_salt(store: Store, sealed: Item) -> tuple[Layout, Item]:
    envelope = bytearray(sealed["text"]["B"])
    envelope[20] ^= 1
    return Note.layout, {**sealed, "text": {"B": bytes(envelope)}}


def cut_short(store: Store, sealed: Item) -> tuple[Layout, Item]:
    return Note.layout, {**sealed, "text": {"B": sealed["text"]["B"][:30]}}


def put_in_the_clear(store: Store, sealed: Item) -> tuple[Layout, Item]:
    return Note.layout, {**sealed, "text": {"S": PLAIN}}


def of_a_newer_version(store: Store, sealed: Item) -> tuple[Layout, Item]:
    return Note.layout, {**sealed, "text": {"B": b"\x02" + sealed["text"]["B"][1:]}}


@pytest.mark.parametrize(
    "tamper",
    [
        moved_to_another_item,
        moved_to_another_sort_key,
        moved_to_another_field,
        moved_to_another_entity,
        moved_to_another_tenant,
        moved_to_another_table,
        changed_in_one_bit,
        changed_in_its_salt,
        cut_short,
        put_in_the_clear,
        of_a_newer_version,
    ],
)
def test_what_was_moved_or_changed_does_not_open(
    store: Store, tamper: Callable[[Store, Item], tuple[Layout, Item]]
) -> None:
    sealed = store.seal(Note(note_id="1", account_id="a1", text=PLAIN))
    layout, tampered = tamper(store, sealed)
    with pytest.raises((SecretAltered, SecretShredded)) as refusal:
        store.open(layout, tampered)
    assert f"{layout.entity.__name__}." in str(refusal.value)
    assert PLAIN not in str(refusal.value)


@given(place=st.integers(0, 1000), bit=st.integers(0, 7))
def test_no_bit_can_be_changed(place: int, bit: int) -> None:
    store = _shared_store()
    sealed = store.seal(Note(note_id="1", account_id="a1", text=PLAIN))
    envelope = bytearray(sealed["text"]["B"])
    envelope[place % len(envelope)] ^= 1 << bit
    with pytest.raises((SecretAltered, SecretShredded)):
        store.open(Note.layout, {**sealed, "text": {"B": bytes(envelope)}})


_shared: list[Store] = []


def _shared_store() -> Store:
    if not _shared:
        db = embedded()
        for table in design.tables:
            db.call("CreateTable", table.definition())
        _shared.append(Store(db))
    return _shared[0]


def test_a_read_without_the_context_says_what_it_lacks(store: Store) -> None:
    sealed = store.seal(Note(note_id="1", account_id="a1", text=PLAIN))
    del sealed["accountId"]
    with pytest.raises(SecretError, match=r"Note\.text has account_id in its context"):
        store.open(Note.layout, sealed)


def test_contexts_that_look_alike_have_different_keys(store: Store) -> None:
    store.seal(oauth('a","b', "c"))
    store.seal(oauth("a", 'b","c'))
    assert len(store.db.call("Scan", {"TableName": "secrets-keys"})["Items"]) == 2


def test_a_key_is_fetched_once(store: Store) -> None:
    store.seal(oauth())
    store.calls.clear()
    for _ in range(3):
        store.open(OAuth.layout, store.seal(oauth()))
    assert store.calls == []


def test_a_page_of_many_tenants_fetches_their_keys_together(store: Store) -> None:
    sealed = [store.seal(oauth(f"a{number}")) for number in range(150)]
    other = Store(store.db, store.keyring)
    other.run_sync(other.vault.prepare((OAuth.layout, item) for item in sealed))
    for item in sealed:
        other.open(OAuth.layout, item)
    assert other.calls == ["BatchGetItem"] * 2


def test_many_who_make_the_first_key_at_once_agree_on_one(store: Store) -> None:
    stores = [Store(store.db, store.keyring) for _ in range(8)]
    begin = Barrier(len(stores))

    def seal(each: Store) -> Item:
        begin.wait()
        return each.seal(oauth())

    with ThreadPoolExecutor(len(stores)) as threads:
        sealed = list(threads.map(seal, stores))
    assert len({item["tokens"]["B"][1:17] for item in sealed}) == 1
    assert all(store.open(OAuth.layout, item) == stored(oauth()) for item in sealed)


class CountingKeys(MemoryKeys):
    unwrapped = 0

    def unwrap(self, master: str, wrapped: bytes, purpose: str) -> bytes:
        self.unwrapped += 1
        return super().unwrap(master, wrapped, purpose)


class TestRotation:
    def test_a_new_master_key_wraps_and_the_old_one_unwraps(self, store: Store) -> None:
        sealed = store.seal(oauth())
        store.keyring.rotate()
        assert store.run_sync(key_rotation.rewrap(store.context)) == 1
        assert store.run_sync(key_rotation.rewrap(store.context)) == 0
        (item,) = store.db.call("Scan", {"TableName": "secrets-keys"})["Items"]
        assert item["keys"]["L"][0]["M"]["master"] == {"S": store.keyring.newest}
        again = Store(store.db, store.keyring)
        assert again.open(OAuth.layout, sealed) == stored(oauth())

    def test_a_keyring_without_the_master_key_says_so(self, store: Store) -> None:
        sealed = store.seal(oauth())
        stranger = Store(store.db, MemoryKeys())
        with pytest.raises(KeyringError, match="is not in this keyring"):
            stranger.open(OAuth.layout, sealed)

    def test_a_wrapped_key_cannot_be_given_to_another_tenant(self, store: Store) -> None:
        store.seal(oauth("a1"))
        store.seal(oauth("a2"))
        one, two = store.db.call("Scan", {"TableName": "secrets-keys"})["Items"]
        store.db.call("PutItem", {"TableName": "secrets-keys", "Item": {**two, "keys": one["keys"]}})
        fresh = Store(store.db, store.keyring)
        with pytest.raises(KeyringError, match="wrapped for another purpose"):
            fresh.run_sync(fresh.vault._fetch({_name(two): set()}))

    def test_a_new_data_key_seals_and_what_is_old_opens(self, store: Store) -> None:
        before = store.put(oauth(refresh="r"))
        other = store.put(oauth("a2"))
        where = {"account_id": "a1", "source_id": "s1"}
        assert store.run_sync(key_rotation.rotate(store.context, OAuth.layout, where)) == 1
        after = store.seal(oauth(refresh="r"))
        assert after["tokens"]["B"][1:17] != before["tokens"]["B"][1:17]
        assert store.open(OAuth.layout, before) == store.open(OAuth.layout, after)
        assert store.run_sync(key_rotation.reencrypt(store.context, OAuth.layout)) == 1
        assert store.run_sync(key_rotation.reencrypt(store.context, OAuth.layout)) == 0
        found = {item["accountId"]["S"]: item for item in _items(store)}
        assert found["a1"]["tokens"]["B"][1:17] == after["tokens"]["B"][1:17]
        assert found["a1"]["refresh"]["B"][1:17] == after["refresh"]["B"][1:17]
        assert found["a2"] == other
        assert store.open(OAuth.layout, found["a1"]) == stored(oauth(refresh="r"))

    def test_only_the_keys_that_are_needed_are_unwrapped(self, store: Store) -> None:
        where = {"account_id": "a1", "source_id": "s1"}
        sealed = [store.seal(oauth())]
        for _ in range(3):
            store.run_sync(key_rotation.rotate(store.context, OAuth.layout, where))
            sealed.append(store.seal(oauth()))
        keyring = CountingKeys(store.keyring._keys)
        other = Store(store.db, keyring)
        for item in [sealed[0], sealed[3], sealed[0], sealed[1]]:
            assert other.open(OAuth.layout, item) == stored(oauth())
        assert keyring.unwrapped == 3

    def test_a_process_that_did_not_hear_of_the_new_key_reads_what_it_sealed(self, store: Store) -> None:
        store.seal(oauth())
        other = Store(store.db, store.keyring)
        other.run_sync(
            key_rotation.rotate(other.context, OAuth.layout, {"account_id": "a1", "source_id": "s1"})
        )
        assert store.open(OAuth.layout, other.seal(oauth())) == stored(oauth())


class TestShredding:
    def test_all_of_a_tenant_becomes_unreadable_and_nobody_else_s(self, store: Store) -> None:
        mine = [store.seal(oauth("a1", source)) for source in ("s1", "s2")]
        note = store.seal(Note(note_id="1", account_id="a1", text=PLAIN))
        others = store.seal(oauth("a2"))
        assert store.run_sync(key_rotation.shred(store.context, OAuth.layout, {"account_id": "a1"})) == 3
        for layout, item in [(OAuth.layout, mine[0]), (OAuth.layout, mine[1]), (Note.layout, note)]:
            with pytest.raises(SecretShredded) as refusal:
                store.open(layout, item)
            assert PLAIN not in str(refusal.value)
        assert store.open(OAuth.layout, others) == stored(oauth("a2"))

    def test_one_source_of_a_tenant(self, store: Store) -> None:
        first, second = (store.seal(oauth("a1", source)) for source in ("s1", "s2"))
        where = {"account_id": "a1", "source_id": "s1"}
        assert store.run_sync(key_rotation.shred(store.context, OAuth.layout, where)) == 1
        with pytest.raises(SecretShredded):
            store.open(OAuth.layout, first)
        assert store.open(OAuth.layout, second) == stored(oauth("a1", "s2"))

    def test_a_tenant_who_comes_back_gets_a_new_key(self, store: Store) -> None:
        old = store.seal(oauth())
        store.run_sync(key_rotation.shred(store.context, OAuth.layout, {"account_id": "a1"}))
        new = store.seal(oauth())
        assert store.open(OAuth.layout, new) == stored(oauth())
        with pytest.raises(SecretShredded, match=r"OAuth\.tokens"):
            store.open(OAuth.layout, old)

    def test_other_processes_forget_within_the_lifetime(self, store: Store) -> None:
        other = Store(store.db, store.keyring, lifetime=60)
        sealed = other.seal(oauth())
        store.run_sync(key_rotation.shred(store.context, OAuth.layout, {"account_id": "a1"}))
        assert other.open(OAuth.layout, sealed) == stored(oauth())
        other.time = 60
        with pytest.raises(SecretShredded):
            other.open(OAuth.layout, sealed)

    def test_resealing_leaves_what_is_shredded(self, store: Store) -> None:
        sealed = store.put(oauth())
        store.run_sync(key_rotation.shred(store.context, OAuth.layout, {"account_id": "a1"}))
        assert store.run_sync(key_rotation.reencrypt(store.context, OAuth.layout)) == 0
        assert _items(store) == [sealed]

    @pytest.mark.parametrize("values", [{}, {"source_id": "s1"}, {"account_id": "a1", "api_key": "x"}])
    def test_the_leading_value_is_needed(self, store: Store, values: dict[str, str]) -> None:
        with pytest.raises(UsageError, match="account_id"):
            store.run_sync(key_rotation.shred(store.context, OAuth.layout, values))


class TestHashing:
    def test_equal_values_hash_equally_and_others_do_not(self, store: Store) -> None:
        digest = _hash(store, OAuth, "key-1")
        assert digest == _hash(store, OAuth, "key-1") != _hash(store, OAuth, "key-2")
        assert digest == _hash(Store(store.db, store.keyring), OAuth, "key-1")
        assert digest != _hash(store, Memo, "key-1")

    def test_the_value_is_not_stored_and_the_digest_is_what_a_lookup_makes(self, store: Store) -> None:
        sealed = store.put(oauth(api_key="key-1"))
        assert sealed["apiKey"] == {"S": _hash(store, OAuth, "key-1")}
        assert "key-1" not in str(_items(store))

    def test_a_loaded_digest_is_written_back_as_it_is(self, store: Store) -> None:
        sealed = store.seal(oauth(api_key="key-1"))
        opened = store.open(OAuth.layout, sealed)
        loaded = oauth(api_key=opened["apiKey"]["S"])
        assert isinstance(loaded.api_key, Digest)
        assert store.seal(loaded)["apiKey"] == sealed["apiKey"]

    def test_a_text_that_looks_like_a_digest_is_hashed(self, store: Store) -> None:
        digest = _hash(store, OAuth, "key-1")
        assert _hash(store, OAuth, digest) != digest


class TestNothingShows:
    def test_repr_and_str_of_entities(self) -> None:
        entity = oauth(api_key="key-1", refresh=PLAIN)
        for shown in (repr(entity), str(entity), f"{[entity]}"):
            assert PLAIN not in shown
            assert "key-1" not in shown
            assert "tokens='***'" in shown
        assert "api_key=None" in repr(oauth())

    def test_errors_of_validation(self) -> None:
        with pytest.raises(ValidationError) as refusal:
            OAuth(account_id="a", source_id="s", tokens=PLAIN, api_key=PLAIN * 9)
        assert PLAIN not in str(refusal.value)

    def test_repr_of_patterns_that_look_for_a_secret(self) -> None:
        class ByKey(Get[Badge]):
            code: str

        assert repr(ByKey(code="key-1")) == "ByKey(code='***')"

    def test_keys_and_vaults(self, store: Store, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        store.put(oauth())
        (secret,) = store.keyring._keys.values()
        data_keys = [key for kept in store.vault._sets.values() for key in kept.keys.values()]
        shown = repr((store.keyring, store.vault, data_keys, store.vault._sets)) + caplog.text
        for hidden in (secret, *(key.secret for key in data_keys)):
            assert repr(hidden)[2:-1] not in shown
            assert hidden.hex() not in shown


badges = Table("badges", key="code")


class Badge(Entity, table=badges):
    code: Annotated[str, markers.Hashed()]


class TestDesigns:
    def test_a_design_with_secrets_has_a_key_table(self) -> None:
        assert [table.name for table in design.tables] == ["secrets-main", "secrets-keys"]
        assert Design("plain").key_table is None

    def test_the_key_table_has_an_environment_when_the_others_have(self) -> None:
        class Secret(Entity, table=Table("app-{env}-x", key="id")):
            id: str
            text: Annotated[str, markers.Encrypted()]

        assert Design("app", entities=[Secret]).tables[1].physical_name("main") == "app-main-keys"

    def test_no_key_is_made_of_a_ciphertext(self) -> None:
        with pytest.raises(DesignError, match=r"Bad\.text is Encrypted and part of a key.*use Hashed"):

            class Bad(Entity, table=main, type="BAD"):
                text: Annotated[str, markers.Encrypted()]
                keys = Keys(primary=("BAD#{text}", "BAD"))

    def test_a_ciphertext_does_not_count(self) -> None:
        with pytest.raises(DesignError, match=r"Bad\.number is Encrypted and Counter"):

            class Bad(Entity, table=main, type="BAD"):
                id: str
                number: Annotated[int, markers.Encrypted(), markers.Counter()]
                keys = Keys(primary=("BAD#{id}", "BAD"))

    def test_a_secret_is_hashed_before_it_could_be_normalised(self) -> None:
        with pytest.raises(DesignError, match=r"Bad\.email is a secret, so its lock contains the hash"):

            class Bad(Entity, table=main, type="BAD"):
                id: str
                email: Annotated[str, markers.Encrypted(), markers.Unique(normalise=str.lower)]
                keys = Keys(primary=("BAD#{id}", "BAD"))

    def test_a_secret_is_not_bound_to_a_secret(self) -> None:
        with pytest.raises(DesignError, match="bound to code, which is a secret too"):

            class Bad(Entity, table=main, type="BAD"):
                id: str
                code: Annotated[str, markers.Hashed()]
                text: Annotated[str, markers.Encrypted(context=("code",))]
                keys = Keys(primary=("BAD#{id}", "BAD"))

    def test_a_copy_carries_what_its_secrets_are_bound_to(self) -> None:
        with pytest.raises(DesignError, match=r"Bad\.text is in the copy twin without account_id"):

            class Bad(Entity, table=main, type="BAD"):
                id: str
                account_id: str
                text: Annotated[str, markers.Encrypted(context=("account_id",))]
                keys = Keys(primary=("BAD#{id}", "BAD"))
                twin = Copy(primary=("BAD#{id}", "TWIN"), fields=["text"])


def _hash(store: Store, entity: type[Entity], value: str) -> str:
    field = entity.layout.fields["api_key"]
    return store.run_sync(compute_with_keys(lambda: store.vault.hashed(entity.layout, field, value)))


def _items(store: Store) -> list[Item]:
    found: list[Item] = store.db.call("Scan", {"TableName": main.name})["Items"]
    return found


def _name(item: Item) -> Any:
    from tablewright.access.encryption.data_keys import KeyName

    return KeyName(item["owner"]["S"], item["context"]["S"])
