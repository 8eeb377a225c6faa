"""The `Vault` interface: encrypts the `Encrypted` and hashes the `Hashed` fields of an item, and decrypts them.

A vault makes no calls. When it lacks a key it raises `KeyNeeded`. Run code that uses a vault with `compute_with_keys`:

    entity = yield from compute_with_keys(lambda: decoder.make(item))

Whole items are encrypted and decrypted here too: main items, and copies with the attributes that they hide from
indexes.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from tablewright.access.items.item_values import differs
from tablewright.access.procedures import Procedure
from tablewright.design.fields.markers import Encrypted, Hashed, Unique
from tablewright.design.layouts.layouts import KEPT, FieldLayout, Layout
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import SecretError

T = TypeVar("T")


class KeyNeeded(Exception):
    """A vault lacks a key; `fetching` is the procedure that loads it."""

    def __init__(self, fetching: Procedure[None]) -> None:
        self.fetching = fetching
        super().__init__("a key is not loaded; run this code with compute_with_keys(...)")


def compute_with_keys(work: Callable[[], T]) -> Procedure[T]:
    """Call a pure function that uses a vault; load the keys it needs and call it again."""
    return (yield from run_with_keys(lambda: _as_procedure(work)))


def run_with_keys(begin: Callable[[], Procedure[T]]) -> Procedure[T]:
    """Run a procedure that uses a vault before its first effect; load the key it lacks and run it again."""
    while True:
        try:
            return (yield from begin())
        except KeyNeeded as needed:
            fetching = needed.fetching
        yield from fetching


def _as_procedure(work: Callable[[], T]) -> Procedure[T]:
    yield from ()
    return work()


class Vault(Protocol):
    """Encrypts and decrypts items. Called only for entities that have secret fields."""

    def encrypt(self, layout: Layout, item: Item) -> Item:
        """Return the item as it is stored: secret attributes encrypted or hashed. The item has its primary key."""

    def decrypt(self, layout: Layout, item: Item) -> Item:
        """Return the item with its secret attributes decrypted; hashed attributes stay hashed."""

    def hashed(self, layout: Layout, field: FieldLayout, value: Any) -> str:
        """Return the stored form of a `Hashed` value, to look up an item by it."""

    def prepare(self, items: Iterable[tuple[Layout, Item]]) -> Procedure[None]:
        """Load all keys that decrypting these items takes, in few calls."""

    def without_keys(self) -> "Vault":
        """Return a vault of the same keyring that has no keys in memory."""


class NoVault:
    """The vault of a repository without master keys. It raises, so that no secret is stored unencrypted.

    `is_in_design` is False when the design has no secret entities: then the entity is not part of it.
    """

    def __init__(self, *, is_in_design: bool = True) -> None:
        self._is_in_design = is_in_design

    def encrypt(self, layout: Layout, item: Item) -> Item:
        """Raise `SecretError`."""
        raise self._error(layout)

    def decrypt(self, layout: Layout, item: Item) -> Item:
        """Raise `SecretError`."""
        raise self._error(layout)

    def hashed(self, layout: Layout, field: FieldLayout, value: Any) -> str:
        """Raise `SecretError`."""
        raise self._error(layout)

    def prepare(self, items: Iterable[tuple[Layout, Item]]) -> Procedure[None]:
        """Do nothing: there are no keys to load."""
        yield from ()

    def without_keys(self) -> "NoVault":
        """Return this vault: it has no keys."""
        return self

    def _error(self, layout: Layout) -> SecretError:
        name, secrets = layout.entity.__name__, ", ".join(secret_fields(layout))
        if not self._is_in_design:
            return SecretError(
                f"{name} has secret fields ({secrets}) and is not part of the design, so the repository has no keys; "
                f"add it to Design(..., entities=[..., {name}])"
            )
        return SecretError(
            f"{name} has secret fields ({secrets}), and the repository has no master key; make one with "
            '`tablewright keys new master.json` and connect(..., secrets=keyrings.KeyFile("master.json")), '
            "or use keyrings.KmsKey(arn); on the command line: --keys master.json"
        )


def secret_fields(layout: Layout) -> list[str]:
    """Return the names of the encrypted and hashed fields, sorted."""
    return sorted(layout.secrets)


def lookup_values(vault: Vault, layout: Layout, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return values for keys and locks: those of secret fields hashed, as they are stored."""
    if not layout.secrets:
        return values
    hashed = [field for field in _hashed_in_keys(layout) if values.get(field.name) is not None]
    return {**values, **{field.name: vault.hashed(layout, field, values[field.name]) for field in hashed}}


def _hashed_in_keys(layout: Layout) -> list[FieldLayout]:
    """Fields whose hash is used in keys: hashed fields, and encrypted fields that are unique."""
    unique = [field for field, _ in layout.marked(Unique) if field.marker(Encrypted)]
    return [*(field for field, _ in layout.marked(Hashed)), *unique]


def hidden_attributes(item: Item) -> Item:
    """Return the attributes that a copy hides from indexes; none if another program has written something else there.

    >>> hidden_attributes({"_kept": {"M": {"email": {"S": "a@x"}}}}), hidden_attributes({"_kept": {"S": "?"}})
    ({'email': {'S': 'a@x'}}, {})
    """
    hidden: Item = item.get(KEPT, {}).get("M", {})
    return hidden


def encrypted_item(vault: Vault, layout: Layout, item: Item) -> Item:
    """Return an item as it is stored, its secrets encrypted, also those that a copy hides from indexes."""
    if not layout.secrets:
        return item
    hidden = hidden_attributes(item)
    encrypted = vault.encrypt(layout, {**item, **hidden})
    visible = {name: value for name, value in encrypted.items() if name not in hidden}
    return {**visible, KEPT: {"M": {name: encrypted[name] for name in hidden}}} if hidden else visible


def reencrypted_item(vault: Vault, layout: Layout, stored: Item, decrypted: Item, desired: Item) -> Item:
    """Return the desired item with its secrets encrypted. Secrets that do not change keep their stored ciphertext.

    `stored` is the stored item, `decrypted` the same with its secrets decrypted. A ciphertext is bound to the primary
    key and to the fields of its context, so it is encrypted again when one of them changes.
    """
    encrypted = encrypted_item(vault, layout, desired)
    if not layout.secrets or any(differs(stored[name], desired.get(name)) for name in layout.table.key):
        return encrypted
    for field, marker in layout.marked(Encrypted):
        bound = {field.stored, *(layout.fields[name].stored for name in marker.context)}
        is_same = not any(differs(decrypted.get(name), desired.get(name)) for name in bound)
        if is_same and "B" in stored.get(field.stored, {}):
            encrypted[field.stored] = stored[field.stored]
    return encrypted


def decrypted_item(vault: Vault, layout: Layout, item: Item) -> Item:
    """Return a stored item with its secrets decrypted; values that were never encrypted stay as they are.

    Raise `SecretAltered` or `SecretShredded` when an encrypted value cannot be decrypted.
    """
    whole = {**item, **hidden_attributes(item)} if KEPT in item else item
    if not layout.secrets:
        return whole
    plain = [
        field.stored
        for field, _ in layout.marked(Encrypted)
        if field.stored in whole and "B" not in whole[field.stored]
    ]
    encrypted = {name: value for name, value in whole.items() if name not in plain}
    return {**whole, **vault.decrypt(layout, encrypted)}


def with_hidden(decrypted: Item) -> Item:
    """Return a decrypted copy with its hidden attributes as they were decrypted."""
    if not (names := hidden_attributes(decrypted)):
        return decrypted
    hidden = {name: decrypted[name] for name in names}
    return {**{n: v for n, v in decrypted.items() if n not in hidden}, KEPT: {"M": hidden}}


def hashed_item(vault: Vault, layout: Layout, item: Item) -> Item:
    """Return an unencrypted item with the hashes of its `Hashed` values in their place."""
    if not layout.secrets:
        return item
    names = {field.stored: name for name, field in layout.fields.items() if not field.marker(Encrypted)}
    texts = {names[stored]: value["S"] for stored, value in item.items() if stored in names and "S" in value}
    values = lookup_values(vault, layout, {n: v for n, v in texts.items() if n in layout.secrets})
    return {**item, **{layout.fields[name].stored: {"S": str(value)} for name, value in values.items()}}
