"""Encrypt and decrypt whole items: main items, and copies with the attributes that they hide from indexes."""

from tablewright.access.context import Context
from tablewright.access.items.footprint import hidden_attributes
from tablewright.access.items.value_codec import differs
from tablewright.access.items.vault import lookup_values
from tablewright.design.fields.markers import Encrypted
from tablewright.design.layouts.layouts import Layout
from tablewright.design.layouts.reserved_attributes import KEPT
from tablewright.dynamodb.values.attributes import Item


def encrypted_item(context: Context, layout: Layout, item: Item) -> Item:
    """Return an item as it is stored, its secrets encrypted, also those that a copy hides from indexes."""
    if not layout.secrets:
        return item
    hidden = hidden_attributes(item)
    encrypted = context.vault.encrypt(layout, {**item, **hidden})
    visible = {name: value for name, value in encrypted.items() if name not in hidden}
    return {**visible, KEPT: {"M": {name: encrypted[name] for name in hidden}}} if hidden else visible


def reencrypted_item(context: Context, layout: Layout, found: Item, decrypted: Item, desired: Item) -> Item:
    """Return the desired item with its secrets encrypted. Secrets that do not change keep their stored ciphertext.

    `found` is the stored item, `decrypted` the same with its secrets decrypted. A ciphertext is bound to the primary
    key and to the fields of its context, so it is encrypted again when one of them changes.
    """
    encrypted = encrypted_item(context, layout, desired)
    if not layout.secrets or any(differs(found[name], desired.get(name)) for name in layout.table.key):
        return encrypted
    for field, marker in layout.marked(Encrypted):
        bound = {field.stored, *(layout.fields[name].stored for name in marker.context)}
        is_same = not any(differs(decrypted.get(name), desired.get(name)) for name in bound)
        if is_same and "B" in found.get(field.stored, {}):
            encrypted[field.stored] = found[field.stored]
    return encrypted


def decrypted_item(context: Context, layout: Layout, item: Item) -> Item:
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
    return {**whole, **context.vault.decrypt(layout, encrypted)}


def with_hidden(decrypted: Item) -> Item:
    """Return a decrypted copy with its hidden attributes as they were decrypted."""
    if not (names := hidden_attributes(decrypted)):
        return decrypted
    hidden = {name: decrypted[name] for name in names}
    return {**{n: v for n, v in decrypted.items() if n not in hidden}, KEPT: {"M": hidden}}


def hashed_item(context: Context, layout: Layout, item: Item) -> Item:
    """Return an unencrypted item with the hashes of its `Hashed` values in their place."""
    if not layout.secrets:
        return item
    names = {field.stored: name for name, field in layout.fields.items() if not field.marker(Encrypted)}
    given = {names[stored]: value["S"] for stored, value in item.items() if stored in names and "S" in value}
    values = lookup_values(context.vault, layout, {n: v for n, v in given.items() if n in layout.secrets})
    return {**item, **{layout.fields[name].stored: {"S": str(value)} for name, value in values.items()}}
