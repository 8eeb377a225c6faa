"""Key schemas: from an item to its key bytes, with AWS's messages for invalid keys.

A table's key has one hash attribute and optionally one range attribute; an index's may have up to four of each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.dynamodb.values.item_sizes import value_size
from tablewright.dynamodb.values.key_bytes import closed_part, content_bytes, part, partition, partition_head
from tablewright.errors import ValidationError

MAX_HASH_SIZE = 2048
MAX_RANGE_SIZE = 1024

MISMATCH = "The provided key element does not match the schema"
_INVALID = "One or more parameter values were invalid: "
_NOT_VALID = "One or more parameter values are not valid. "
_EMPTY = "The AttributeValue for a key attribute cannot contain an empty {kind} value."


class EmptyKey(ValidationError):
    """An empty key attribute. It makes a transaction invalid; any other invalid key only cancels the transaction."""


@dataclass(frozen=True, slots=True)
class KeySchema:
    """The attributes of a key, in order, and their types."""

    hash: tuple[str, ...]
    range: tuple[str, ...]
    types: Mapping[str, str]
    names: tuple[str, ...]
    sole_hash: tuple[str, str] | None
    """Name and type of the hash attribute, when there is only one."""
    sorts: tuple[tuple[str, str], ...]
    """Names and types of the range attributes."""

    @classmethod
    def compile(
        cls, elements: Sequence[Mapping[str, Any]], definitions: Sequence[Mapping[str, Any]]
    ) -> "KeySchema":
        """The key schema of the `KeySchema` and `AttributeDefinitions` members of a description."""
        types = {entry["AttributeName"]: entry["AttributeType"] for entry in definitions}
        hash_names = tuple(e["AttributeName"] for e in elements if e["KeyType"] == "HASH")
        range_names = tuple(e["AttributeName"] for e in elements if e["KeyType"] == "RANGE")
        names = hash_names + range_names
        return cls(
            hash=hash_names,
            range=range_names,
            types={name: types[name] for name in names},
            names=names,
            sole_hash=(hash_names[0], types[hash_names[0]]) if len(hash_names) == 1 else None,
            sorts=tuple((name, types[name]) for name in range_names),
        )

    def encode(self, item: Item) -> bytes:
        """The key bytes of an item that is known to have a valid key."""
        head = partition([item[name] for name in self.hash])
        for name in self.range:
            head += part(item[name])
        return head

    def find(self, item: Item) -> bytes | None:
        """The key bytes of an item; None unless it has every attribute, of its type, not empty and not too long."""
        if self.sole_hash is None:
            return self.encode(item) if self.admits(item) else None
        name, kind = self.sole_hash
        value = item.get(name)
        content = value.get(kind) if value is not None else None
        if not content:
            return None
        body = content.encode() if kind == "S" else content_bytes(kind, content)
        if len(body) > MAX_HASH_SIZE:
            return None
        key = partition_head(body)
        length = 0
        for name, kind in self.sorts:
            value = item.get(name)
            content = value.get(kind) if value is not None else None
            if not content:
                return None
            body = content.encode() if kind == "S" else content_bytes(kind, content)
            length += len(body)
            key += closed_part(body)
        # The bytes of a number may be one more than its size.
        return key if length <= MAX_RANGE_SIZE or self._is_short(item) else None

    def of_key(self, key: Item) -> bytes:
        """The key bytes of a `Key` parameter, which must have exactly the key attributes, of their types."""
        stored = self.find(key) if len(key) == len(self.names) else None
        if stored is None:
            self._reject_key(key)
        return stored

    def of_item(self, item: Item) -> bytes:
        """The key bytes of an item to put."""
        stored = self.find(item)
        if stored is None:
            self._reject_item(item)
        return stored

    def _reject_key(self, key: Item) -> NoReturn:
        if len(key) != len(self.names):
            raise ValidationError(MISMATCH)
        for name, kind in self.types.items():
            value = key.get(name)
            if value is None or kind not in value:
                raise ValidationError(MISMATCH)
            if not value[kind]:
                raise EmptyKey(f"{_NOT_VALID}{empty_key(kind)} Key: {name}")
        self._reject_sizes(key)

    def _reject_item(self, item: Item) -> NoReturn:
        for name, kind in self.types.items():
            value = item.get(name)
            if value is None:
                raise ValidationError(f"{_INVALID}Missing the key {name} in the item")
            if kind not in value:
                actual = next(iter(value))
                raise ValidationError(
                    f"{_INVALID}Type mismatch for key {name} expected: {kind} actual: {actual}"
                )
            if not value[kind]:
                raise EmptyKey(f"{_NOT_VALID}{empty_key(kind)} Key: {name}")
        self._reject_sizes(item)

    def require_sizes(self, item: Item) -> None:
        """Reject hash and range keys that are too long."""
        if not self._is_short(item):
            self._reject_sizes(item)

    def _reject_sizes(self, item: Item) -> NoReturn:
        for name in self.hash:
            require_hash_size(item[name])
        raise ValidationError(
            f"{_INVALID}Aggregated size of all range keys has exceeded the size limit of {MAX_RANGE_SIZE} bytes"
        )

    def fits(self, item: Item) -> bool:
        """Whether an item has every attribute of this key, of its type and not empty."""
        for name, kind in self.types.items():
            value = item.get(name)
            if value is None or not value.get(kind):
                return False
        return True

    def admits(self, item: Item) -> bool:
        """Whether an index with this key has a row for an item: it fits, and no part is too long."""
        length = 0
        for name, kind in self.types.items():
            value = item.get(name)
            content = value.get(kind) if value is not None else None
            if not content:
                return False
            length += len(content)
        # A character has at most four bytes: shorter values need not be measured.
        return length <= MAX_RANGE_SIZE // 4 or self._is_short(item)

    def _is_short(self, item: Item) -> bool:
        if any(_size(item[name]) > MAX_HASH_SIZE for name in self.hash):
            return False
        return sum(_size(item[name]) for name in self.range) <= MAX_RANGE_SIZE

    def require_fit(self, item: Item, index: str) -> None:
        """Reject an item whose value for one of this index's key attributes cannot be indexed."""
        for name, kind in self.types.items():
            value = item.get(name)
            if value is None:
                continue
            if kind not in value:
                actual = next(iter(value))
                raise ValidationError(
                    f"{_INVALID}Type mismatch for Index Key {name} Expected: {kind} Actual: {actual} "
                    f"IndexName: {index}"
                )
            if not value[kind]:
                raise EmptyKey(
                    f"{_NOT_VALID}A value specified for a secondary index key is not supported. "
                    f"{empty_key(kind)} IndexName: {index}, IndexKey: {name}"
                )
        if self.fits(item):
            self.require_sizes(item)

    def pick(self, item: Item) -> Item:
        """The key attributes of an item."""
        return {name: item[name] for name in self.names}

    def part_of(self, item: Item) -> Item:
        """The key attributes that an unchecked item has."""
        return {name: item[name] for name in self.names if name in item}


def empty_key(kind: str) -> str:
    """The message for an empty key attribute of that type."""
    return _EMPTY.format(kind="string" if kind == "S" else "binary")


def require_hash_size(value: AttributeValue) -> None:
    """Reject a hash key that is too long, of an item or of a query."""
    if _size(value) > MAX_HASH_SIZE:
        raise ValidationError(
            f"{_INVALID}Size of hashkey has exceeded the maximum size limit of{MAX_HASH_SIZE} bytes"
        )


def _size(value: AttributeValue) -> int:
    text = value.get("S")
    return len(text) if text is not None and text.isascii() else value_size(value)
