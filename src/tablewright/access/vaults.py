"""Vaults: who seals the `Encrypted` and `Hashed` fields of an item on its way in, and opens them on its way out."""

from collections.abc import Mapping
from typing import Any, Protocol

from tablewright.design.fields import Encrypted, Hashed
from tablewright.design.layouts import FieldLayout, Layout
from tablewright.errors import SecretError
from tablewright.values.attributes import Item


class Vault(Protocol):
    """The seam for secrets. It is only asked about entities that have any."""

    def seal(self, layout: Layout, item: Item) -> Item:
        """The item as it is stored: keys in place, secret attributes sealed."""

    def open(self, layout: Layout, item: Item) -> Item:
        """The item as it was before it was sealed; hashed attributes stay as they are."""

    def hashed(self, layout: Layout, field: FieldLayout, value: Any) -> str:
        """What a `Hashed` field is stored as, to look it up by its value."""


class NoVault:
    """The vault of a repository that was given none: it refuses, so that no secret is ever stored in the clear."""

    def seal(self, layout: Layout, item: Item) -> Item:
        """Refuse."""
        raise self._refusal(layout)

    def open(self, layout: Layout, item: Item) -> Item:
        """Refuse."""
        raise self._refusal(layout)

    def hashed(self, layout: Layout, field: FieldLayout, value: Any) -> str:
        """Refuse."""
        raise self._refusal(layout)

    def _refusal(self, layout: Layout) -> SecretError:
        names = ", ".join(secret_fields(layout))
        return SecretError(
            f"{layout.entity.__name__} has secret fields ({names}); connect with secrets=..., which keeps the keys"
        )


def secret_fields(layout: Layout) -> list[str]:
    """The names of the fields that are not stored in the clear."""
    return [name for name, field in layout.fields.items() if field.marker(Encrypted) or field.marker(Hashed)]


def lookup_values(vault: Vault, layout: Layout, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Values for a key: those of hashed fields are hashed, as they are in the stored key."""
    hashed = [field for field, _ in layout.marked(Hashed) if values.get(field.name) is not None]
    if not hashed:
        return values
    return {**values, **{field.name: vault.hashed(layout, field, values[field.name]) for field in hashed}}
