"""The encryption of fields: the vault encrypts `Encrypted` fields and hashes `Hashed` fields.

**Keys.** Each context (the values of the fields that `Encrypted(context=...)` names) has its own data key, wrapped by a
master key (see keyrings). Wrapped data keys are not part of the ciphertext: then only deleting the master key of all
tenants could make one tenant unreadable. They are not in the table of the data either: a restored backup would bring a
deleted key back together with the data. They are in a separate key table, one item for each context, under the
context's leading value: deleting a tenant's items there makes everything unreadable that was ever encrypted for the
tenant, backups included. A field without context has one data key for its entity.

**Binding.** A ciphertext is bound to table, entity type, key of the item, stored name of the field and values of the
context; it cannot be decrypted anywhere else. The table is bound by its name in the design, so that a restored or
copied table can be read.

**Hashing.** `Hashed` fields are HMAC-SHA-256 under one data key, over table, entity, field and value: equal values can
be found, in the same field only. A loaded entity holds a `Digest`, which is written back unchanged; any other text is
hashed, also one that looks like a digest, so that a stolen digest cannot be used as a value.

**Calls.** Encryption and decryption make no calls. When a key is not loaded they raise `KeyNeeded`, which carries the
procedure that loads it; `compute_with_keys` runs that procedure and tries again. Keys stay in memory for `lifetime`
seconds: a key that another process shredded is used here for that long at most.

Envelopes: the bytes of an encrypted value.

    version (1) | id of the data key (16) | salt (32) | AES-256-GCM ciphertext, with its tag (16)

Key and nonce of each message are derived from the data key and the random salt, with HKDF-SHA-256: so one data key may
encrypt any number of values, where a random 96-bit nonce alone would be safe for 2^32 only. The header and the binding
(table, entity, key and field of the value) are authenticated with the content: a changed or moved envelope cannot be
decrypted.
"""

import hmac
import secrets
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import field
from typing import Any

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tablewright.access.encryption import data_keys
from tablewright.access.encryption.data_keys import KeyName, WrappedKey, called, entity_type, key_name
from tablewright.access.encryption.keyrings import KEY_BYTES, Keyring
from tablewright.access.items.item_values import to_attribute
from tablewright.access.items.vault import KeyNeeded
from tablewright.access.procedures import BlockingTask, Procedure
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.markers import Digest, Encrypted, Hashed
from tablewright.design.layouts.layouts import KEPT, OWNER, FieldLayout, Layout
from tablewright.dynamodb.values.attributes import AttributeValue, Item, normalise
from tablewright.dynamodb.values.stored_items import to_python
from tablewright.errors import SecretAltered, SecretError, SecretShredded, ValidationError

VERSION = b"\x01"
ID_BYTES = 16
_SALT_BYTES = 32
_KEY_BYTES = 32
_NONCE_BYTES = 12
_HEADER_BYTES = 1 + ID_BYTES + _SALT_BYTES


@dataclass(frozen=True, slots=True)
class DataKey:
    """A key that encrypts values."""

    id: bytes
    secret: bytes = field(repr=False)


class NotAnEnvelope(ValueError):
    """Bytes that are not an envelope of a known version."""


class WrongKeyOrBinding(ValueError):
    """An envelope that was changed, or encrypted with another key or for another binding."""


def encrypt(key: DataKey, binding: bytes, content: bytes) -> bytes:
    """Encrypt content; only this key and this binding decrypt it."""
    header = VERSION + key.id + secrets.token_bytes(_SALT_BYTES)
    cipher, nonce = _cipher(key, header)
    return header + cipher.encrypt(nonce, content, header + binding)


def decrypt(key: DataKey, binding: bytes, envelope: bytes) -> bytes:
    """Decrypt the content of an envelope.

    >>> key = DataKey(bytes(16), bytes(32))
    >>> decrypt(key, b"here", encrypt(key, b"here", b"content"))
    b'content'
    """
    header = envelope[:_HEADER_BYTES]
    cipher, nonce = _cipher(key, header)
    try:
        return cipher.decrypt(nonce, envelope[_HEADER_BYTES:], header + binding)
    except InvalidTag:
        raise WrongKeyOrBinding from None


def key_id(envelope: object) -> bytes:
    """Return the id of the data key that encrypted an envelope."""
    if not isinstance(envelope, bytes) or len(envelope) <= _HEADER_BYTES or not envelope.startswith(VERSION):
        raise NotAnEnvelope
    return envelope[1 : 1 + ID_BYTES]


def _cipher(key: DataKey, header: bytes) -> tuple[AESGCM, bytes]:
    salt = header[1 + ID_BYTES :]
    derived = HKDF(SHA256(), _KEY_BYTES + _NONCE_BYTES, salt, b"tablewright envelope 1").derive(key.secret)
    return AESGCM(derived[:_KEY_BYTES]), derived[_KEY_BYTES:]


_DIGESTS = KeyName.of(("digests",))


@dataclass(slots=True)
class _KeySet:
    """The data keys of one context, unwrapped; the newest is last."""

    keys: dict[bytes, DataKey]
    fresh_until: float
    sought: set[bytes] = field(default_factory=set)
    """Ids that were looked up; those that are not among the keys do not exist."""


class SecretVault:
    """Encrypts and decrypts the secret fields of items, with keys from a keyring and a key table."""

    def __init__(
        self,
        keyring: Keyring,
        table: str,
        *,
        lifetime: float = 300.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.keyring = keyring
        self.table = table
        self._lifetime = lifetime
        self._clock = clock
        self._sets: dict[KeyName, _KeySet] = {}

    def __repr__(self) -> str:
        return f"SecretVault({self.keyring!r}, {self.table!r})"

    def without_keys(self) -> "SecretVault":
        """Return a vault of the same keyring and key table that has no keys in memory."""
        return SecretVault(self.keyring, self.table, lifetime=self._lifetime, clock=self._clock)

    def encrypt(self, layout: Layout, item: Item) -> Item:
        """Return the item as it is stored: secret attributes encrypted or hashed."""
        encrypted = dict(item)
        for secret, marker in layout.marked(Encrypted):
            if secret.stored in item:
                encrypted[secret.stored] = self._encrypt(layout, secret, marker, item)
        for secret, _ in layout.marked(Hashed):
            if secret.stored in item and not _is_key(layout, secret.stored, item):
                encrypted[secret.stored] = {"S": str(self._digest(layout, secret, item[secret.stored]))}
        return encrypted

    def decrypt(self, layout: Layout, item: Item) -> Item:
        """Return the item with its secret attributes decrypted; hashed attributes stay digests."""
        decrypted = dict(item)
        for secret, marker in layout.marked(Encrypted):
            if secret.stored in item:
                decrypted[secret.stored] = self._decrypt(layout, secret, marker, item)
        for secret, _ in layout.marked(Hashed):
            if secret.stored in item:
                decrypted[secret.stored] = {"S": Digest(item[secret.stored].get("S", ""))}
        return decrypted

    def hashed(self, layout: Layout, field: FieldLayout, value: Any) -> str:
        """Return the stored form of a `Hashed` value, to look up an item by it."""
        return str(self._digest(layout, field, to_attribute(value)))

    def prepare(self, items: Iterable[tuple[Layout, Item]]) -> Procedure[None]:
        """Load all keys that decrypting these items takes, in few calls."""
        sought: dict[KeyName, set[bytes]] = {}
        for layout, item in items:
            for secret, marker in layout.marked(Encrypted):
                # The item is of another entity, or its decryption will raise the error.
                with suppress(SecretError, KeyError):
                    name = key_name(layout, secret, marker, item)
                    identifier = _key_id(layout, secret, item)
                    if not self._knows(name, identifier):
                        sought.setdefault(name, set()).add(identifier)
        if sought:
            yield from self._fetch(sought)

    def is_current(self, layout: Layout, secret: FieldLayout, item: Item) -> bool:
        """Whether the newest key of its context encrypted a field."""
        name = key_name(layout, secret, secret.marker(Encrypted), item)
        return next(reversed(self._loaded(name).keys), None) == _key_id(layout, secret, item)

    def forget(self, names: Iterable[KeyName]) -> None:
        """Drop keys from memory, because they changed or were deleted."""
        for name in names:
            self._sets.pop(name, None)

    def new_key(self, name: KeyName) -> Procedure[WrappedKey]:
        """Make a new data key; return it wrapped."""
        return (yield from self.wrap(name, secrets.token_bytes(ID_BYTES), secrets.token_bytes(KEY_BYTES)))

    def wrap(self, name: KeyName, identifier: bytes, secret: bytes) -> Procedure[WrappedKey]:
        """Wrap a data key with the newest master key."""
        master = self.keyring.newest
        reply = yield BlockingTask(lambda: {"Wrapped": self.keyring.wrap(secret, name.context)})
        return WrappedKey(identifier, master, reply["Wrapped"])

    def unwrap(self, name: KeyName, key: WrappedKey) -> Procedure[DataKey]:
        """Unwrap a data key."""
        reply = yield BlockingTask(
            lambda: {"Key": self.keyring.unwrap(key.master, key.wrapped, name.context)}
        )
        return DataKey(key.id, reply["Key"])

    def _encrypt(self, layout: Layout, secret: FieldLayout, marker: Encrypted, item: Item) -> AttributeValue:
        name = key_name(layout, secret, marker, item)
        key = self._newest(name)
        try:
            content = orjson.dumps(normalise(item[secret.stored]))
        except ValidationError:  # its message may contain the value
            raise SecretError(f"{called(layout, secret)} is a value that DynamoDB cannot store") from None
        return {"B": encrypt(key, _binding(layout, secret, name, item), content)}

    def _decrypt(self, layout: Layout, secret: FieldLayout, marker: Encrypted, item: Item) -> AttributeValue:
        name = key_name(layout, secret, marker, item)
        identifier = _key_id(layout, secret, item)
        if not self._knows(name, identifier):
            raise KeyNeeded(self._fetch({name: {identifier}}))
        key = self._sets[name].keys.get(identifier)
        if key is None:
            raise SecretShredded(layout.entity.__name__, secret.name)
        try:
            content = decrypt(key, _binding(layout, secret, name, item), item[secret.stored]["B"])
        except WrongKeyOrBinding:
            raise SecretAltered(layout.entity.__name__, secret.name) from None
        return to_python({"value": orjson.loads(content)})["value"]  # type: ignore[no-any-return]

    def _digest(self, layout: Layout, secret: FieldLayout, value: AttributeValue) -> Digest:
        text = value.get("S")
        if isinstance(text, Digest):
            return text
        document = [layout.table.name, entity_type(layout), secret.stored, normalise(value)]
        content = orjson.dumps(document, option=orjson.OPT_SORT_KEYS)
        return Digest(hmac.digest(self._newest(_DIGESTS).secret, content, "sha256").hex())

    def _newest(self, name: KeyName) -> DataKey:
        keys = self._loaded(name).keys
        if not keys:
            raise KeyNeeded(self._fetch({name: set()}, make=True))
        return keys[next(reversed(keys))]

    def _loaded(self, name: KeyName) -> _KeySet:
        key_set = self._sets.get(name)
        if key_set is None or key_set.fresh_until <= self._clock():
            raise KeyNeeded(self._fetch({name: set()}, make=True))
        return key_set

    def _knows(self, name: KeyName, identifier: bytes) -> bool:
        """Whether this key was looked up and is still fresh, found or not."""
        key_set = self._sets.get(name)
        if key_set is None or key_set.fresh_until <= self._clock():
            return False
        return identifier in key_set.keys or identifier in key_set.sought

    def _fetch(self, sought: dict[KeyName, set[bytes]], *, make: bool = False) -> Procedure[None]:
        loaded = yield from data_keys.load(self.table, sought)
        for name, identifiers in sought.items():
            wrapped = loaded.get(name, [])
            while make and not wrapped:
                wrapped = yield from self._first_key(name)
            yield from self._keep(name, wrapped, identifiers)

    def _first_key(self, name: KeyName) -> Procedure[list[WrappedKey]]:
        fresh = yield from self.new_key(name)
        if (yield from data_keys.add(self.table, name, [], fresh)):
            return [fresh]
        return (yield from data_keys.load(self.table, [name])).get(name, [])  # another process added it first

    def _keep(self, name: KeyName, wrapped: list[WrappedKey], sought: set[bytes]) -> Procedure[None]:
        """Unwrap the newest key and the sought ones; each may take a call to KMS."""
        earlier = self._sets.get(name)
        if earlier is None or earlier.fresh_until <= self._clock():
            earlier = _KeySet({}, 0.0)
        sought = sought | earlier.sought
        keys: dict[bytes, DataKey] = {}
        for key in wrapped:
            if key.id in earlier.keys:
                keys[key.id] = earlier.keys[key.id]
            elif key.id in sought or key is wrapped[-1]:
                keys[key.id] = yield from self.unwrap(name, key)
        self._sets[name] = _KeySet(keys, self._clock() + self._lifetime, sought)


def _is_key(layout: Layout, attribute: str, item: Item) -> bool:
    """Whether an attribute is a key of the item; keys contain the hash already."""
    if attribute in layout.table.key:
        return True
    in_index = OWNER in item and attribute in layout.table.key_attributes
    return in_index and attribute not in item.get(KEPT, {"M": {}})["M"]


def _binding(layout: Layout, secret: FieldLayout, name: KeyName, item: Item) -> bytes:
    key = [[attribute, normalise(item[attribute])] for attribute in layout.table.key]
    return orjson.dumps([layout.table.name, entity_type(layout), secret.stored, key, name.context])


def _key_id(layout: Layout, secret: FieldLayout, item: Item) -> bytes:
    try:
        return key_id(item[secret.stored].get("B"))
    except NotAnEnvelope:
        raise SecretAltered(layout.entity.__name__, secret.name) from None
