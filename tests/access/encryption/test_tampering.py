"""Tampering: a ciphertext that is changed or moved never decrypts, and the error names the field."""

from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tablewright import embedded
from tablewright.access.encryption import field_encryption, key_rotation
from tablewright.access.encryption.data_keys import entity_type
from tablewright.access.encryption.keyrings import MemoryKeys
from tablewright.connections import Embedded
from tablewright.dynamodb.values.attributes import normalise
from tablewright.errors import KeyringError, SecretAltered, SecretShredded
from tests.access.encryption import secrets_store
from tests.access.encryption.secrets_store import Memo, Note, Store
from tests.access.encryption.tampering import KeyTamperer, OtherNote, Tamperer


@pytest.fixture
def db() -> Iterator[Embedded]:
    with embedded() as db:
        for table in secrets_store.design.tables:
            db.call("CreateTable", table.definition())
        yield db


@pytest.mark.parametrize("count", [2_000, pytest.param(10_000, marks=pytest.mark.soak)])
def test_no_tampered_ciphertext_decrypts(db: Embedded, count: int) -> None:
    tamperer = Tamperer(db, seed=count)
    found, tried = tamperer.failures(count)
    assert found == []
    assert len(tried) == len(tamperer.kinds)


@pytest.mark.parametrize("count", [200, pytest.param(2_000, marks=pytest.mark.soak)])
def test_no_tampered_data_key_decrypts(db: Embedded, count: int) -> None:
    tamperer = KeyTamperer(db, seed=count)
    found, tried = tamperer.failures(count)
    assert found == []
    assert len(tried) == len(tamperer.kinds)


def test_the_unchanged_secrets_decrypt(db: Embedded) -> None:
    tamperer = Tamperer(db, 1)
    for secret in tamperer.secrets:
        assert "same text" in str(tamperer.store.decrypt(secret.layout, secret.item)[secret.stored])


def test_another_master_key_decrypts_nothing(db: Embedded) -> None:
    tamperer = Tamperer(db, 1)
    name = tamperer.store.keyring.newest
    same_name = Store(db, MemoryKeys({name: bytes(32)}))
    for other in (Store(db), same_name):
        for secret in tamperer.secrets:
            with pytest.raises(KeyringError):
                other.decrypt(secret.layout, secret.item)


def note(text: str) -> Note:
    return Note(note_id="n1", account_id="a1", text=text)


def test_an_old_ciphertext_of_the_same_field_decrypts_until_its_key_is_deleted(db: Embedded) -> None:
    """A replay into the same place is not detected, as the guide says; deleting the key ends it."""
    store = Store(db)
    old, new = store.encrypt(note("old")), store.encrypt(note("new"))
    replayed = {**new, "text": old["text"]}
    assert store.decrypt(Note.layout, replayed)["text"] == {"S": "old"}
    store.run_sync(key_rotation.rotate(store.context, Note.layout, {"account_id": "a1"}))
    assert store.decrypt(Note.layout, replayed)["text"] == {"S": "old"}
    store.run_sync(key_rotation.shred(store.context, Note.layout, {"account_id": "a1"}))
    store.encrypt(note("newest"))  # creates a new key for the same context
    for item in (old, new, replayed):
        with pytest.raises(SecretShredded, match=r"Note\.text cannot be read: its key was deleted"):
            store.decrypt(Note.layout, item)


def test_a_digest_matches_no_value_of_another_field_entity_or_table(db: Embedded) -> None:
    store = Store(db)
    memo = Memo(note_id="n1", account_id="a1", text="x", api_key="k1")
    other = secrets_store.oauth(api_key="k1")
    digests = [store.encrypt(each)[each.layout.fields["api_key"].stored]["S"] for each in (memo, other)]
    assert len(set(digests)) == 2


def binding(*left_out: str) -> Callable[..., bytes]:
    """What a ciphertext is bound to, with some parts left out."""

    def bound(layout: Any, secret: Any, name: Any, item: Any) -> bytes:
        parts = {
            "table": layout.table.name,
            "entity": entity_type(layout),
            "field": secret.stored,
            "key": [[each, normalise(item[each])] for each in layout.table.key],
            "context": name.context,
        }
        return orjson.dumps({part: value for part, value in parts.items() if part not in left_out})

    return bound


@pytest.mark.parametrize(
    ("left_out", "kind"),
    [
        ("key", "take_from_another_item"),
        ("key", "change_the_key_of_the_item"),
        ("field", "take_from_another_field"),
        ("entity", "take_from_another_entity"),
        ("table", "take_from_another_table"),
    ],
)
def test_a_binding_that_leaves_something_out_is_found(
    monkeypatch: pytest.MonkeyPatch, db: Embedded, left_out: str, kind: str
) -> None:
    keyring = MemoryKeys()
    monkeypatch.setattr(field_encryption, "_binding", binding(left_out))
    assert kind in {failure.kind for failure in Tamperer(db, 1, keyring).failures(1_000)[0]}
    monkeypatch.setattr(field_encryption, "_binding", binding())
    assert Tamperer(db, 1, keyring).failures(1_000)[0] == []


def without_tag(key: Any, bound: bytes, envelope: bytes) -> bytes:
    """Decrypt without a look at the tag: GCM is AES in counter mode, and the first block is for the tag."""
    derived = HKDF(SHA256(), 44, envelope[17:49], b"tablewright envelope 1").derive(key.secret)
    counter = CTR(derived[32:] + (2).to_bytes(4, "big"))
    return Cipher(AES(derived[:32]), counter).decryptor().update(envelope[49:-16])


def test_an_ignored_tag_is_found(monkeypatch: pytest.MonkeyPatch, db: Embedded) -> None:
    monkeypatch.setattr(field_encryption, "decrypt", without_tag)
    kinds = {failure.kind for failure in Tamperer(db, 1).failures(1_000)[0]}
    assert {"change_the_tag", "flip_a_bit", "take_from_another_item", "take_from_another_table"} <= kinds


def test_an_error_without_the_field_is_found(monkeypatch: pytest.MonkeyPatch, db: Embedded) -> None:
    monkeypatch.setattr(
        field_encryption, "SecretAltered", lambda entity, field: SecretAltered(entity, "some field")
    )
    assert Tamperer(db, 1).failures(100)[0]


def test_one_data_key_for_two_tables(db: Embedded) -> None:
    """Otherwise the move between tables would be found by its key, and not by what it is bound to."""
    store = Store(db)
    here = store.encrypt(note("x"))["text"]["B"]
    there = store.encrypt(OtherNote(note_id="n1", account_id="a1", text="x"))["text"]["B"]
    assert here[1:17] == there[1:17]
