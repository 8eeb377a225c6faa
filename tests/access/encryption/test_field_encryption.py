"""The vault: a ciphertext is decrypted only where it was encrypted, and secrets are never shown."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from threading import Barrier
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tablewright import Copy, Design, Entity, Get, Keys, Table, embedded
from tablewright.access.encryption.field_encryption import (
    ID_BYTES,
    VERSION,
    DataKey,
    NotAnEnvelope,
    WrongKeyOrBinding,
    decrypt,
    encrypt,
    key_id,
)
from tablewright.access.items.item_values import from_attribute, to_attribute
from tablewright.access.items.vault import compute_with_keys
from tablewright.design.fields import markers
from tablewright.design.fields.markers import Digest
from tablewright.design.layouts.layouts import Layout
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import DesignError, SecretAltered, SecretError, SecretShredded
from tests.access.encryption.secrets_store import (
    KEY_TABLE,
    PLAIN,
    Memo,
    Note,
    OAuth,
    Store,
    Tokens,
    design,
    items_in,
    main,
    oauth,
    plain,
)


def test_an_encrypted_item_is_decrypted_and_its_plaintext_is_not_stored(store: Store) -> None:
    item = plain(oauth(refresh=PLAIN))
    encrypted = store.put(oauth(refresh=PLAIN))
    everything = [store.db.call("Scan", {"TableName": table.name}) for table in design.tables]
    assert PLAIN not in str(everything)
    assert set(encrypted["tokens"]) == {"B"}
    assert store.decrypt(OAuth.layout, encrypted) == item


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
def test_every_storable_value_can_be_encrypted(store: Store, value: Any) -> None:
    encrypted = store.encrypt(oauth(refresh=value))
    decrypted = store.decrypt(OAuth.layout, encrypted)
    assert from_attribute(decrypted["refresh"]) == from_attribute(to_attribute(value))


LEAVES = st.none() | st.booleans() | st.integers(-(10**37), 10**37) | st.text() | st.binary()


ANYTHING = st.recursive(LEAVES, lambda each: st.lists(each) | st.dictionaries(st.text(min_size=1), each))


@given(value=ANYTHING.filter(lambda value: value is not None))
def test_any_value_round_trips(value: Any) -> None:
    store = _shared_store()
    decrypted = store.decrypt(OAuth.layout, store.encrypt(oauth(refresh=value)))
    assert decrypted["refresh"] == to_attribute(value)


def test_equal_values_have_different_ciphertexts(store: Store) -> None:
    assert store.encrypt(oauth())["tokens"] != store.encrypt(oauth())["tokens"]


def moved_to_another_item(store: Store, encrypted: Item) -> tuple[Layout, Item]:
    return Note.layout, {**encrypted, "PK": {"S": "NOTE#2"}}


def moved_to_another_sort_key(store: Store, encrypted: Item) -> tuple[Layout, Item]:
    return Note.layout, {**encrypted, "SK": {"S": "OTHER"}}


def moved_to_another_field(store: Store, encrypted: Item) -> tuple[Layout, Item]:
    other = Note(note_id="1", account_id="a1", text="other", draft="draft")
    return Note.layout, {**store.encrypt(other), "draft": encrypted["text"]}


def moved_to_another_entity(store: Store, encrypted: Item) -> tuple[Layout, Item]:
    return Memo.layout, encrypted


def moved_to_another_tenant(store: Store, encrypted: Item) -> tuple[Layout, Item]:
    store.encrypt(Note(note_id="1", account_id="a2", text="makes the key of a2"))
    return Note.layout, {**encrypted, "accountId": {"S": "a2"}}


def moved_to_another_table(store: Store, encrypted: Item) -> tuple[Layout, Item]:
    return replace(Note.layout, table=Table("elsewhere", key=("PK", "SK"))), encrypted


def changed_in_one_bit(store: Store, encrypted: Item) -> tuple[Layout, Item]:
    envelope = bytearray(encrypted["text"]["B"])
    envelope[-1] ^= 1
    return Note.layout, {**encrypted, "text": {"B": bytes(envelope)}}


def changed_in_its_salt(store: Store, encrypted: Item) -> tuple[Layout, Item]:
    envelope = bytearray(encrypted["text"]["B"])
    envelope[20] ^= 1
    return Note.layout, {**encrypted, "text": {"B": bytes(envelope)}}


def cut_short(store: Store, encrypted: Item) -> tuple[Layout, Item]:
    return Note.layout, {**encrypted, "text": {"B": encrypted["text"]["B"][:30]}}


def put_in_the_clear(store: Store, encrypted: Item) -> tuple[Layout, Item]:
    return Note.layout, {**encrypted, "text": {"S": PLAIN}}


def of_a_newer_version(store: Store, encrypted: Item) -> tuple[Layout, Item]:
    return Note.layout, {**encrypted, "text": {"B": b"\x02" + encrypted["text"]["B"][1:]}}


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
def test_a_moved_or_changed_ciphertext_is_not_decrypted(
    store: Store, tamper: Callable[[Store, Item], tuple[Layout, Item]]
) -> None:
    encrypted = store.encrypt(Note(note_id="1", account_id="a1", text=PLAIN))
    layout, tampered = tamper(store, encrypted)
    with pytest.raises((SecretAltered, SecretShredded)) as error:
        store.decrypt(layout, tampered)
    assert f"{layout.entity.__name__}." in str(error.value)
    assert PLAIN not in str(error.value)


@given(place=st.integers(0, 1000), bit=st.integers(0, 7))
def test_no_bit_can_be_changed(place: int, bit: int) -> None:
    store = _shared_store()
    encrypted = store.encrypt(Note(note_id="1", account_id="a1", text=PLAIN))
    envelope = bytearray(encrypted["text"]["B"])
    envelope[place % len(envelope)] ^= 1 << bit
    with pytest.raises((SecretAltered, SecretShredded)):
        store.decrypt(Note.layout, {**encrypted, "text": {"B": bytes(envelope)}})


_shared: list[Store] = []


def _shared_store() -> Store:
    if not _shared:
        db = embedded()
        for table in design.tables:
            db.call("CreateTable", table.definition())
        _shared.append(Store(db))
    return _shared[0]


def test_an_item_without_its_context_is_an_error(store: Store) -> None:
    encrypted = store.encrypt(Note(note_id="1", account_id="a1", text=PLAIN))
    del encrypted["accountId"]
    with pytest.raises(SecretError, match=r"Note\.text has account_id in its context"):
        store.decrypt(Note.layout, encrypted)


def test_similar_contexts_have_different_keys(store: Store) -> None:
    store.encrypt(oauth('a","b', "c"))
    store.encrypt(oauth("a", 'b","c'))
    assert len(store.db.call("Scan", {"TableName": KEY_TABLE})["Items"]) == 2


def test_a_key_is_loaded_once(store: Store) -> None:
    store.encrypt(oauth())
    store.calls.clear()
    for _ in range(3):
        store.decrypt(OAuth.layout, store.encrypt(oauth()))
    assert store.calls == []


def test_keys_of_many_tenants_are_loaded_together(store: Store) -> None:
    encrypted = [store.encrypt(oauth(f"a{number}")) for number in range(150)]
    other = Store(store.db, store.keyring)
    other.run_sync(other.vault.prepare((OAuth.layout, item) for item in encrypted))
    for item in encrypted:
        other.decrypt(OAuth.layout, item)
    assert other.calls == ["BatchGetItem"] * 2


class RacingStore(Store):
    """Waits after its first read until all stores have read, so that all of them find no key."""

    barrier = Barrier(8)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        reply = super().call(operation, request)
        if self.calls == ["BatchGetItem"]:
            self.barrier.wait(timeout=60)
        return reply


def test_concurrent_first_keys_have_one_winner(store: Store) -> None:
    stores = [RacingStore(store.db, store.keyring) for _ in range(8)]
    with ThreadPoolExecutor(len(stores)) as threads:
        encrypted = list(threads.map(lambda each: each.encrypt(oauth()), stores))
    lost = [each for each in stores if each.calls == ["BatchGetItem", "PutItem", "BatchGetItem"]]
    assert len(lost) == 7, "all stores tried to add the first key, and one succeeded"
    assert len({item["tokens"]["B"][1:17] for item in encrypted}) == 1
    assert all(store.decrypt(OAuth.layout, item) == plain(oauth()) for item in encrypted)


class TestHashing:
    def test_equal_values_have_equal_hashes(self, store: Store) -> None:
        digest = hash_of(store, OAuth, "key-1")
        assert digest == hash_of(store, OAuth, "key-1") != hash_of(store, OAuth, "key-2")
        assert digest == hash_of(Store(store.db, store.keyring), OAuth, "key-1")
        assert digest != hash_of(store, Memo, "key-1")

    def test_the_hash_is_stored_and_not_the_value(self, store: Store) -> None:
        encrypted = store.put(oauth(api_key="key-1"))
        assert encrypted["apiKey"] == {"S": hash_of(store, OAuth, "key-1")}
        assert "key-1" not in str(items_in(store))

    def test_a_loaded_digest_is_written_back_unchanged(self, store: Store) -> None:
        encrypted = store.encrypt(oauth(api_key="key-1"))
        decrypted = store.decrypt(OAuth.layout, encrypted)
        loaded = oauth(api_key=decrypted["apiKey"]["S"])
        assert isinstance(loaded.api_key, Digest)
        assert store.encrypt(loaded)["apiKey"] == encrypted["apiKey"]

    def test_a_text_that_looks_like_a_digest_is_hashed(self, store: Store) -> None:
        digest = hash_of(store, OAuth, "key-1")
        assert hash_of(store, OAuth, digest) != digest


class TestNoSecretIsShown:
    def test_repr_and_str_of_entities(self) -> None:
        entity = oauth(api_key="key-1", refresh=PLAIN)
        for shown in (repr(entity), str(entity), f"{[entity]}"):
            assert PLAIN not in shown
            assert "key-1" not in shown
            assert "tokens='***'" in shown
        assert "api_key=None" in repr(oauth())

    def test_validation_errors(self) -> None:
        with pytest.raises(ValidationError) as error:
            OAuth.model_validate({"accountId": "a", "sourceId": "s", "tokens": PLAIN, "apiKey": PLAIN * 9})
        assert PLAIN not in str(error.value)

    def test_repr_of_patterns_with_a_secret_parameter(self) -> None:
        class ByKey(Get[Badge]):
            code: str

        assert repr(ByKey(code="key-1")) == "ByKey(code='***')"

    def test_repr_of_keys_and_vaults(self, store: Store, caplog: pytest.LogCaptureFixture) -> None:
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

    def test_a_key_cannot_contain_an_encrypted_field(self) -> None:
        with pytest.raises(DesignError, match=r"Bad\.text is Encrypted and part of a key.*use Hashed"):

            class Bad(Entity, table=main, type="BAD"):
                text: Annotated[str, markers.Encrypted()]
                keys = Keys(primary=("BAD#{text}", "BAD"))

    def test_a_counter_cannot_be_encrypted(self) -> None:
        with pytest.raises(DesignError, match=r"Bad\.number is Encrypted and Counter"):

            class Bad(Entity, table=main, type="BAD"):
                id: str
                number: Annotated[int, markers.Encrypted(), markers.Counter()]
                keys = Keys(primary=("BAD#{id}", "BAD"))

    def test_a_unique_secret_cannot_be_normalised(self) -> None:
        with pytest.raises(DesignError, match=r"Bad\.email is a secret, so its lock contains the hash"):

            class Bad(Entity, table=main, type="BAD"):
                id: str
                email: Annotated[str, markers.Encrypted(), markers.Unique(normalise=str.lower)]
                keys = Keys(primary=("BAD#{id}", "BAD"))

    def test_a_context_cannot_be_a_secret(self) -> None:
        with pytest.raises(DesignError, match="bound to code, which is a secret too"):

            class Bad(Entity, table=main, type="BAD"):
                id: str
                code: Annotated[str, markers.Hashed()]
                text: Annotated[str, markers.Encrypted(context=("code",))]
                keys = Keys(primary=("BAD#{id}", "BAD"))

    def test_a_copy_needs_the_context_of_its_secrets(self) -> None:
        with pytest.raises(DesignError, match=r"Bad\.text is in the copy twin without account_id"):

            class Bad(Entity, table=main, type="BAD"):
                id: str
                account_id: str
                text: Annotated[str, markers.Encrypted(context=("account_id",))]
                keys = Keys(primary=("BAD#{id}", "BAD"))
                twin = Copy(primary=("BAD#{id}", "TWIN"), fields=["text"])


def hash_of(store: Store, entity: type[Entity], value: str) -> str:
    field = entity.layout.fields["api_key"]
    return store.run_sync(compute_with_keys(lambda: store.vault.hashed(entity.layout, field, value)))


KEY = DataKey(b"i" * ID_BYTES, b"s" * 32)


@pytest.mark.parametrize("content", [b"", b"content", bytes(10_000)])
def test_content_round_trips(content: bytes) -> None:
    envelope = encrypt(KEY, b"place", content)
    assert decrypt(KEY, b"place", envelope) == content
    assert key_id(envelope) == KEY.id
    assert len(content) < 16 or content not in envelope


def test_equal_content_has_different_envelopes() -> None:
    assert len({encrypt(KEY, b"place", b"content") for _ in range(100)}) == 100


@pytest.mark.parametrize(
    ("key", "binding"),
    [
        (DataKey(KEY.id, b"t" * 32), b"place"),
        (KEY, b"another place"),
        (KEY, b""),
    ],
)
def test_another_key_or_binding_does_not_decrypt(key: DataKey, binding: bytes) -> None:
    envelope = encrypt(KEY, b"place", b"content")
    with pytest.raises(WrongKeyOrBinding):
        decrypt(key, binding, envelope)


def test_no_byte_can_be_changed() -> None:
    envelope = encrypt(KEY, b"place", b"content")
    for place in range(len(envelope)):
        changed = bytearray(envelope)
        changed[place] ^= 1
        with pytest.raises(WrongKeyOrBinding):
            decrypt(KEY, b"place", bytes(changed))


@pytest.mark.parametrize("value", [None, "text", b"", VERSION + bytes(48), b"\x02" + bytes(100)])
def test_other_values_are_not_envelopes(value: object) -> None:
    with pytest.raises(NotAnEnvelope):
        key_id(value)


def test_a_key_does_not_show_its_secret() -> None:
    assert "ssss" not in repr(KEY)
