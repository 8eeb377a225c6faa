"""Vaults: who seals the `Encrypted` and `Hashed` fields of an item on its way in, and opens them on its way out.

A vault makes no calls. When it lacks a key it raises `KeyNeeded`; so work that may ask a vault is done in `unlocked`:

    entity = yield from unlocked(lambda: decoder.entity(item))
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from tablewright.access.calls.procedures import Procedure
from tablewright.design.fields.markers import Encrypted, Hashed, Unique
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.errors import SecretError
from tablewright.values.attributes import Item

T = TypeVar("T")


class KeyNeeded(Exception):
    """A vault lacks a key; `fetching` is the procedure that gets it."""

    def __init__(self, fetching: Procedure[None]) -> None:
        self.fetching = fetching
        super().__init__("a key is not at hand; do this work in unlocked(...)")


def compute_with_keys(work: Callable[[], T]) -> Procedure[T]:
    """Do work that may ask a vault, and has no effect but its result; fetch the keys that it turns out to need."""
    return (yield from run_with_keys(lambda: _conversation(work)))


def run_with_keys(begin: Callable[[], Procedure[T]]) -> Procedure[T]:
    """Hold a procedure that may ask a vault before its first effect; begin it again with the key it lacked."""
    while True:
        try:
            return (yield from begin())
        except KeyNeeded as needed:
            fetching = needed.fetching
        yield from fetching


def _conversation(work: Callable[[], T]) -> Procedure[T]:
    yield from ()
    return work()


class Vault(Protocol):
    """The seam for secrets. It is only asked about entities that have any."""

    def encrypt(self, layout: Layout, item: Item) -> Item:
        """The item as it is stored: keys in place, secret attributes sealed."""

    def decrypt(self, layout: Layout, item: Item) -> Item:
        """The item as it was before it was sealed; hashed attributes stay as they are."""

    def hashed(self, layout: Layout, field: FieldLayout, value: Any) -> str:
        """What a `Hashed` field is stored as, to look it up by its value."""

    def prepare(self, wanted: Iterable[tuple[Layout, Item]]) -> Procedure[None]:
        """Fetch at once the keys that opening these items takes, instead of one after the other."""


class NoVault:
    """The vault of a repository that was given none: it refuses, so that no secret is ever stored in the clear.

    A design without secret entities has no use for keys; then the entity is not part of it.
    """

    def __init__(self, *, is_in_design: bool = True) -> None:
        self._is_in_design = is_in_design

    def encrypt(self, layout: Layout, item: Item) -> Item:
        """Refuse."""
        raise self._refusal(layout)

    def decrypt(self, layout: Layout, item: Item) -> Item:
        """Refuse."""
        raise self._refusal(layout)

    def hashed(self, layout: Layout, field: FieldLayout, value: Any) -> str:
        """Refuse."""
        raise self._refusal(layout)

    def prepare(self, wanted: Iterable[tuple[Layout, Item]]) -> Procedure[None]:
        """There is nothing to fetch."""
        yield from ()

    def _refusal(self, layout: Layout) -> SecretError:
        name, secrets = layout.entity.__name__, ", ".join(secret_fields(layout))
        if not self._is_in_design:
            return SecretError(
                f"{name} has secret fields ({secrets}) and is not part of the design, which so has no keys; "
                f"add it to Design(..., entities=[..., {name}])"
            )
        return SecretError(
            f"{name} has secret fields ({secrets}), and no master key was given; make one with `tablewright keys new "
            'master.json` and connect(..., secrets=keyrings.KeyFile("master.json")), or use keyrings.KmsKey(arn)'
        )


def secret_fields(layout: Layout) -> list[str]:
    """The names of the fields that are not stored in the clear."""
    return sorted(layout.secrets)


def lookup_values(vault: Vault, layout: Layout, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Values for keys and locks: those of secret fields are hashed, as they are in what is stored."""
    if not layout.secrets:
        return values
    hashed = [field for field in _hashed_in_keys(layout) if values.get(field.name) is not None]
    return {**values, **{field.name: vault.hashed(layout, field, values[field.name]) for field in hashed}}


def _hashed_in_keys(layout: Layout) -> list[FieldLayout]:
    """Fields that stand in keys by their hash: hashed ones, and encrypted ones that are unique."""
    unique = [field for field, _ in layout.marked(Unique) if field.marker(Encrypted)]
    return [*(field for field, _ in layout.marked(Hashed)), *unique]
