"""A vault whose ciphertext shows what was encrypted and how often, for tests of what is written."""

from collections.abc import Iterable
from itertools import count
from typing import Any

from tablewright.access.procedures import Procedure
from tablewright.design.fields.markers import Encrypted, Hashed
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import SecretAltered


class CountingVault:
    """Encrypts a string as `<number>|<partition key>|<value>`; each ciphertext has another number."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def encrypt(self, layout: Layout, item: Item) -> Item:
        made = dict(item)
        for field, _ in layout.marked(Encrypted):
            if field.stored in item:
                text = f"{next(self._numbers)}|{item[layout.table.partition]['S']}|{item[field.stored]['S']}"
                made[field.stored] = {"B": text.encode()}
        for field, _ in layout.marked(Hashed):
            if field.stored in item:
                made[field.stored] = {"S": self.hashed(layout, field, item[field.stored]["S"])}
        return made

    def decrypt(self, layout: Layout, item: Item) -> Item:
        made = dict(item)
        for field, _ in layout.marked(Encrypted):
            if field.stored in item:
                _, key, text = item[field.stored]["B"].decode().split("|")
                if key != item[layout.table.partition]["S"]:
                    raise SecretAltered(layout.entity.__name__, field.name)
                made[field.stored] = {"S": text}
        return made

    def hashed(self, layout: Layout, field: FieldLayout, value: Any) -> str:
        text = str(value)
        return text if text.startswith("hash:") else f"hash:{text}"

    def without_keys(self) -> "CountingVault":
        return CountingVault()

    def prepare(self, expected: Iterable[tuple[Layout, Item]]) -> Procedure[None]:
        yield from ()
