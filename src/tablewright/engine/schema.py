"""Key schemas: from an item to its key bytes, with AWS's words for a key that does not fit.

A table's key has one hash attribute and perhaps one range attribute; an index's may have up to four of each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tablewright.errors import ValidationError
from tablewright.values.attributes import AttributeValue, Item
from tablewright.values.keys import part, partition
from tablewright.values.sizes import value_size

MAX_HASH_SIZE = 2048
MAX_RANGE_SIZE = 1024

MISMATCH = "The provided key element does not match the schema"
_INVALID = "One or more parameter values were invalid: "
_NOT_VALID = "One or more parameter values are not valid. "
_EMPTY = "The AttributeValue for a key attribute cannot contain an empty {kind} value."


class EmptyKey(ValidationError):
    """A key attribute without content. A transaction with one is refused; any other misfit only cancels it."""


@dataclass(frozen=True, slots=True)
class KeySchema:
    """The attributes of a key, in order, and their types."""

    hash: tuple[str, ...]
    range: tuple[str, ...]
    types: Mapping[str, str]
    names: tuple[str, ...]

    @classmethod
    def compile(
        cls, elements: Sequence[Mapping[str, Any]], definitions: Sequence[Mapping[str, Any]]
    ) -> "KeySchema":
        """From `KeySchema` and `AttributeDefinitions` as AWS writes them."""
        types = {entry["AttributeName"]: entry["AttributeType"] for entry in definitions}
        hash_names = tuple(e["AttributeName"] for e in elements if e["KeyType"] == "HASH")
        range_names = tuple(e["AttributeName"] for e in elements if e["KeyType"] == "RANGE")
        names = hash_names + range_names
        return cls(hash_names, range_names, {name: types[name] for name in names}, names)

    def encode(self, item: Item) -> bytes:
        """The key bytes of an item known to have a fitting key."""
        head = partition([item[name] for name in self.hash])
        for name in self.range:
            head += part(item[name])
        return head

    def of_key(self, key: Item) -> bytes:
        """The bytes of a `Key` parameter: exactly the key attributes, of their types."""
        if len(key) != len(self.names):
            raise ValidationError(MISMATCH)
        for name, kind in self.types.items():
            value = key.get(name)
            if value is None or kind not in value:
                raise ValidationError(MISMATCH)
            if not value[kind]:
                raise EmptyKey(f"{_NOT_VALID}{empty_key(kind)} Key: {name}")
        self.require_sizes(key)
        return self.encode(key)

    def of_item(self, item: Item) -> bytes:
        """The key bytes of an item that is to be put."""
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
        self.require_sizes(item)
        return self.encode(item)

    def require_sizes(self, item: Item) -> None:
        """Refuse hash and range keys that are too long."""
        if any(_size(item[name]) > MAX_HASH_SIZE for name in self.hash):
            raise ValidationError(
                f"{_INVALID}Size of hashkey has exceeded the maximum size limit of{MAX_HASH_SIZE} bytes"
            )
        if sum(_size(item[name]) for name in self.range) > MAX_RANGE_SIZE:
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
        # No character takes more than four bytes: what is that short needs no measuring.
        return length <= MAX_RANGE_SIZE // 4 or self._is_short(item)

    def _is_short(self, item: Item) -> bool:
        if any(_size(item[name]) > MAX_HASH_SIZE for name in self.hash):
            return False
        return sum(_size(item[name]) for name in self.range) <= MAX_RANGE_SIZE

    def require_fit(self, item: Item, index: str) -> None:
        """Refuse an item whose value for one of this index's key attributes cannot be indexed."""
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
        """Those key attributes that an unchecked item has."""
        return {name: item[name] for name in self.names if name in item}


def empty_key(kind: str) -> str:
    """What is wrong with a key attribute of that type that has no content."""
    return _EMPTY.format(kind="string" if kind == "S" else "binary")


def _size(value: AttributeValue) -> int:
    text = value.get("S")
    return len(text) if text is not None and text.isascii() else value_size(value)
