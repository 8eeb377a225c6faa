"""Stored ciphertexts and data keys, changed, moved and replayed: none may decrypt. Seeded, so that a failure repeats.

The attacker can write to every table, and has no master key.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from tablewright import Design, Entity, Keys, Table
from tablewright.access.encryption.data_keys import key_name
from tablewright.access.encryption.keyrings import MemoryKeys
from tablewright.connections import Embedded
from tablewright.design.fields import markers
from tablewright.design.layouts.layouts import Layout
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import KeyringError, SecretAltered, SecretShredded
from tests.access.encryption import secrets_store
from tests.access.encryption.secrets_store import KEY_TABLE, Memo, Note, OAuth, Store, Tokens

other_table = Table("secrets-other", key=("PK", "SK"))
_HEADER = 49


class OtherNote(Entity, table=other_table, type="NOTE"):
    """A note in another table, with the same keys and the same context: the same data key encrypts it."""

    note_id: str
    account_id: str
    text: Annotated[str, markers.Encrypted(context=("account_id",))]
    draft: Annotated[str | None, markers.Encrypted()] = None
    keys = Keys(primary=("NOTE#{note_id}", "NOTE"))


design = Design("secrets-others", entities=[OtherNote], key_table=secrets_store.design.key_table)


@dataclass(slots=True)
class Secret:
    """An encrypted field of a stored item."""

    layout: Layout
    item: Item
    field: str

    @property
    def stored(self) -> str:
        return self.layout.fields[self.field].stored

    @property
    def envelope(self) -> bytes:
        found: bytes = self.item[self.stored]["B"]
        return found

    @envelope.setter
    def envelope(self, envelope: bytes) -> None:
        self.item[self.stored] = {"B": envelope}

    @property
    def context(self) -> str:
        field = self.layout.fields[self.field]
        return key_name(self.layout, field, field.marker(markers.Encrypted), self.item).context


class Failure(NamedTuple):
    """A tampering that was not detected, or was reported in another way than it should be."""

    kind: str
    what: str


class Tamperer:
    """Changes secrets and data keys of a store, one at a time."""

    def __init__(self, db: Embedded, seed: int, keyring: MemoryKeys | None = None) -> None:
        self._random = random.Random(seed)
        self.store = Store(db, keyring)
        self.kinds: list[Callable[[Secret], None]] = [
            self.flip_a_bit,
            self.change_a_byte,
            self.truncate,
            self.remove_the_beginning,
            self.extend,
            self.delete_a_byte,
            self.change_the_version,
            self.change_the_key_id,
            self.take_the_key_id_of_another,
            self.change_the_salt,
            self.change_the_tag,
            self.take_from_another_item,
            self.take_from_another_field,
            self.take_from_another_entity,
            self.take_from_another_table,
            self.take_the_header_of_another,
            self.take_the_content_of_another,
            self.change_the_context,
            self.change_the_key_of_the_item,
            self.change_the_type,
            self.replace_by_plain_text,
        ]
        self.secrets = list(self._secrets())

    def _secrets(self) -> Iterator[Secret]:
        for account in ("a1", "a2"):
            for number in ("1", "2", "3"):
                note: dict[str, Any] = {
                    "note_id": account + number,
                    "account_id": account,
                    "text": "same text",
                }
                entities = [
                    Note(**note, draft="same text"),
                    Memo(**note),
                    OtherNote(**note, draft="same text"),
                    OAuth(
                        account_id=account,
                        source_id=number,
                        tokens=Tokens(access="same text"),
                        refresh="same text",
                    ),
                ]
                for entity in entities:
                    item = self.store.encrypt(entity)
                    for field, _ in entity.layout.marked(markers.Encrypted):
                        yield Secret(entity.layout, item, field.name)

    def failures(self, count: int) -> tuple[list[Failure], dict[str, int]]:
        """Tamper so many times; return what was not detected, and how often each kind was tried."""
        found: list[Failure] = []
        tried: dict[str, int] = {}
        for number in range(count):
            kind = self.kinds[number % len(self.kinds)]
            original = self._random.choice(self.secrets)
            secret = Secret(original.layout, deepcopy(original.item), original.field)
            while secret.item == original.item:
                kind(secret)
            tried[kind.__name__] = tried.get(kind.__name__, 0) + 1
            failure = self._undetected(secret)
            if failure:
                found.append(Failure(kind.__name__, failure))
        return found, tried

    def _undetected(self, secret: Secret) -> str:
        name = secret.layout.entity.__name__
        only = {**secret.item}
        for field, _ in secret.layout.marked(markers.Encrypted):
            if field.name != secret.field:
                del only[field.stored]
        try:
            content = self.store.decrypt(secret.layout, only)[secret.stored]
        except (SecretAltered, SecretShredded) as error:
            is_named = (error.entity, error.field) == (name, secret.field)
            return "" if is_named else f"{error} instead of {name}.{secret.field}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return f"{name}.{secret.field} decrypts to {content}"

    def _another(self, secret: Secret, differs: Callable[[Secret], bool]) -> Secret:
        others = [each for each in self.secrets if differs(each) and each.envelope != secret.envelope]
        return self._random.choice(others)

    # Changes of the bytes.

    def flip_a_bit(self, secret: Secret) -> None:
        place = self._random.randrange(len(secret.envelope) * 8)
        changed = bytearray(secret.envelope)
        changed[place // 8] ^= 1 << place % 8
        secret.envelope = bytes(changed)

    def change_a_byte(self, secret: Secret) -> None:
        self._spoil(secret, self._random.randrange(len(secret.envelope)))

    def truncate(self, secret: Secret) -> None:
        secret.envelope = secret.envelope[: self._random.randrange(len(secret.envelope))]

    def remove_the_beginning(self, secret: Secret) -> None:
        secret.envelope = secret.envelope[self._random.randrange(1, len(secret.envelope)) :]

    def extend(self, secret: Secret) -> None:
        secret.envelope += self._random.randbytes(self._random.randrange(1, 40))

    def delete_a_byte(self, secret: Secret) -> None:
        place = self._random.randrange(len(secret.envelope))
        secret.envelope = secret.envelope[:place] + secret.envelope[place + 1 :]

    def change_the_version(self, secret: Secret) -> None:
        secret.envelope = bytes([self._random.randrange(256)]) + secret.envelope[1:]

    def change_the_key_id(self, secret: Secret) -> None:
        self._spoil(secret, self._random.randrange(1, 17))

    def take_the_key_id_of_another(self, secret: Secret) -> None:
        other = self._another(secret, lambda each: each.envelope[1:17] != secret.envelope[1:17])
        secret.envelope = secret.envelope[:1] + other.envelope[1:17] + secret.envelope[17:]

    def change_the_salt(self, secret: Secret) -> None:
        self._spoil(secret, self._random.randrange(17, _HEADER))

    def change_the_tag(self, secret: Secret) -> None:
        self._spoil(secret, len(secret.envelope) - self._random.randrange(1, 17))

    def _spoil(self, secret: Secret, place: int) -> None:
        byte = bytes([self._random.randrange(256)])
        secret.envelope = secret.envelope[:place] + byte + secret.envelope[place + 1 :]

    # Moves.

    def take_from_another_item(self, secret: Secret) -> None:
        """The same field of another item of the same tenant: the same data key encrypted it."""
        others = [
            each
            for each in self.secrets
            if (each.layout, each.field) == (secret.layout, secret.field) and each.item != secret.item
        ]
        same_key = [each for each in others if each.envelope[1:17] == secret.envelope[1:17]]
        secret.envelope = self._random.choice(same_key or others).envelope

    def take_from_another_field(self, secret: Secret) -> None:
        siblings = [
            each
            for each in self.secrets
            if each.layout is secret.layout and each.field != secret.field and _key(each) == _key(secret)
        ]
        other = self._random.choice(siblings) if siblings else self._another(secret, lambda each: True)
        secret.envelope = other.envelope

    def take_from_another_entity(self, secret: Secret) -> None:
        """The same key and field of another entity in the same table, where there is one."""
        self._take_from_same_key(
            secret,
            lambda each: (
                each.layout.table is secret.layout.table
                and each.layout.entity is not secret.layout.entity
                and each.field == secret.field
            ),
        )

    def take_from_another_table(self, secret: Secret) -> None:
        """The same key, entity type and field of another table, where there is one."""
        self._take_from_same_key(
            secret, lambda each: each.layout.table is not secret.layout.table and each.field == secret.field
        )

    def _take_from_same_key(self, secret: Secret, differs: Callable[[Secret], bool]) -> None:
        same = [
            each
            for each in self.secrets
            if differs(each) and _key(each) == _key(secret) and each.context == secret.context
        ]
        other = self._random.choice(same) if same else self._another(secret, lambda each: True)
        secret.envelope = other.envelope

    def take_the_header_of_another(self, secret: Secret) -> None:
        other = self._another(secret, lambda each: True)
        secret.envelope = other.envelope[:_HEADER] + secret.envelope[_HEADER:]

    def take_the_content_of_another(self, secret: Secret) -> None:
        other = self._another(secret, lambda each: True)
        secret.envelope = secret.envelope[:_HEADER] + other.envelope[_HEADER:]

    def change_the_context(self, secret: Secret) -> None:
        """Give the item to another tenant; a field without a context is moved to another key."""
        if secret.layout.fields[secret.field].marker(markers.Encrypted).context:
            stored = secret.layout.fields["account_id"].stored
            secret.item[stored] = {"S": self._random.choice(("a1", "a2", "a3"))}
        else:
            self.change_the_key_of_the_item(secret)

    def change_the_key_of_the_item(self, secret: Secret) -> None:
        name = self._random.choice(("PK", "SK"))
        secret.item[name] = {"S": f"{secret.item[name]['S']}{self._random.randrange(9)}"}

    # Other values.

    def change_the_type(self, secret: Secret) -> None:
        envelope = secret.envelope
        others: list[dict[str, Any]] = [
            {"S": envelope.hex()},
            {"BS": [envelope]},
            {"L": [{"B": envelope}]},
            {"M": {"B": {"B": envelope}}},
            {"NULL": True},
            {"N": "1"},
            {"B": b""},
        ]
        secret.item[secret.stored] = self._random.choice(others)

    def replace_by_plain_text(self, secret: Secret) -> None:
        secret.item[secret.stored] = {"S": "same text"}


def _key(secret: Secret) -> tuple[Any, Any]:
    return secret.item["PK"], secret.item["SK"]


class KeyTamperer:
    """Changes the wrapped data keys in the key table: every read of the context must fail with a named error."""

    def __init__(self, db: Embedded, seed: int) -> None:
        self._random = random.Random(seed)
        self._db = db
        self._tamperer = Tamperer(db, seed)
        self.kinds: list[Callable[[Item, Item], None]] = [
            self.flip_a_bit_of_the_key,
            self.truncate_the_key,
            self.take_the_key_of_another_context,
            self.take_the_entry_of_another_context,
            self.change_the_id,
            self.change_the_master_key,
            self.change_the_type_of_the_key,
            self.remove_a_part,
            self.remove_all_keys,
        ]

    def failures(self, count: int) -> tuple[list[Failure], dict[str, int]]:
        """Tamper so many times; return what was not detected, and how often each kind was tried."""
        found: list[Failure] = []
        tried: dict[str, int] = {}
        stored = self._db.call("Scan", {"TableName": KEY_TABLE})["Items"]
        for number in range(count):
            kind = self.kinds[number % len(self.kinds)]
            secret = self._random.choice(self._tamperer.secrets)
            item = next(each for each in stored if each["context"]["S"] == secret.context)
            other = self._random.choice([each for each in stored if each != item])
            tried[kind.__name__] = tried.get(kind.__name__, 0) + 1
            with self._changed(item, other, kind):
                failure = self._undetected(secret)
            if failure:
                found.append(Failure(kind.__name__, failure))
        return found, tried

    @contextmanager
    def _changed(self, item: Item, other: Item, kind: Callable[[Item, Item], None]) -> Iterator[None]:
        changed = deepcopy(item)
        while changed == item:
            kind(changed, deepcopy(other))
        self._db.call("PutItem", {"TableName": KEY_TABLE, "Item": changed})
        try:
            yield
        finally:
            self._db.call("PutItem", {"TableName": KEY_TABLE, "Item": item})

    def _undetected(self, secret: Secret) -> str:
        store = Store(self._db, self._tamperer.store.keyring)
        try:
            content = store.decrypt(secret.layout, secret.item)[secret.stored]
        except (SecretAltered, SecretShredded) as error:
            return "" if error.entity == secret.layout.entity.__name__ else str(error)
        except KeyringError as error:
            return "" if secret.context in str(error) or "master key" in str(error) else str(error)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return f"{secret.layout.entity.__name__}.{secret.field} decrypts to {content}"

    def flip_a_bit_of_the_key(self, item: Item, other: Item) -> None:
        wrapped = bytearray(_entry(item)["wrapped"]["B"])
        wrapped[self._random.randrange(len(wrapped))] ^= 1 << self._random.randrange(8)
        _entry(item)["wrapped"] = {"B": bytes(wrapped)}

    def truncate_the_key(self, item: Item, other: Item) -> None:
        wrapped = _entry(item)["wrapped"]["B"]
        _entry(item)["wrapped"] = {"B": wrapped[: self._random.randrange(len(wrapped))]}

    def take_the_key_of_another_context(self, item: Item, other: Item) -> None:
        _entry(item)["wrapped"] = _entry(other)["wrapped"]

    def take_the_entry_of_another_context(self, item: Item, other: Item) -> None:
        item["keys"] = other["keys"]

    def change_the_id(self, item: Item, other: Item) -> None:
        _entry(item)["id"] = {"B": self._random.randbytes(16)}

    def change_the_master_key(self, item: Item, other: Item) -> None:
        _entry(item)["master"] = {"S": "key-of-another"}

    def change_the_type_of_the_key(self, item: Item, other: Item) -> None:
        _entry(item)[self._random.choice(("wrapped", "id"))] = {"S": "text"}

    def remove_a_part(self, item: Item, other: Item) -> None:
        del _entry(item)[self._random.choice(("wrapped", "id", "master"))]

    def remove_all_keys(self, item: Item, other: Item) -> None:
        item["keys"] = self._random.choice(({"L": []}, {"NULL": True}, {"L": [{"S": "text"}]}))


def _entry(item: Item) -> Item:
    entry: Item = item["keys"]["L"][0]["M"]
    return entry
