"""Comparisons: whether both sides of a move hold the same items, while programs write.

Each side is read once, into checksums of groups of items. Only items of groups that differ are compared one by one.
An item that was changed meanwhile differs for a short time: it is compared again after the change was followed. An item
that has expired, and that only one side has deleted, is no difference.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import orjson

from tablewright.access.items.decoding import is_expired
from tablewright.access.items.item_values import key_of
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item, normalise
from tablewright.lifecycle.move.sides import MoveSide, SideName

GROUPS = 4_096
ATTEMPTS = 10
"""How often an item that differs is compared again."""
CONFIRMED = 3
"""How often an item must differ, with no change at its source, to be reported."""


@dataclass(frozen=True, slots=True)
class ItemDifference:
    """An item that differs between both sides."""

    table: Table
    key: Item
    missing_at: SideName | None
    """The side that lacks the item; None if both have it, with other values."""


@dataclass(frozen=True, slots=True)
class MoveComparison:
    """The result of a comparison."""

    items: int
    """The items of the side that programs use."""
    differences: tuple[ItemDifference, ...] = ()
    changing: int = 0
    """The items that changed during each attempt to compare them."""


def compare(
    tables: Sequence[Table],
    active: MoveSide,
    passive: MoveSide,
    catch_up: Callable[[], None],
    on_page: Callable[[], None] = lambda: None,
) -> MoveComparison:
    """Compare all items; `catch_up` applies the changes of the active side to the passive side until now.

    `on_page` is called for each page that is read.
    """
    items, changing = 0, 0
    differences: list[ItemDifference] = []
    for table in tables:
        catch_up()
        counted, sums = _checksums(table, active, on_page)
        other_sums = _checksums(table, passive, on_page)[1]
        items += counted
        groups = {number for number in range(GROUPS) if sums[number] != other_sums[number]}
        if groups:
            keys = _keys(table, active, groups, on_page) | _keys(table, passive, groups, on_page)
            differing, unsettled = _compare_items(table, list(keys.values()), active, passive, catch_up)
            differences += differing
            changing += unsettled
    return MoveComparison(items, tuple(differences), changing)


def _compare_items(
    table: Table, keys: list[Item], active: MoveSide, passive: MoveSide, catch_up: Callable[[], None]
) -> tuple[list[ItemDifference], int]:
    """Return the items that differ for good, and the number of items that changed during each attempt."""
    differences: list[ItemDifference] = []
    pending = {_text(key): (key, 0) for key in keys}
    for _ in range(ATTEMPTS):
        before = {name: _digest(active.get(table, key)) for name, (key, _) in pending.items()}
        catch_up()
        left = {}
        for name, (key, confirmed) in pending.items():
            other, now = passive.get(table, key), active.get(table, key)
            if _digest(other) in (before[name], _digest(now)) or _is_expired(table, now, other, active):
                continue
            confirmed += before[name] == _digest(now)
            if confirmed < CONFIRMED:
                left[name] = (key, confirmed)
                continue
            missing = active.name if now is None else passive.name if other is None else None
            differences.append(ItemDifference(table, key, missing))
        pending = left
        if not pending:
            break
        active.pause(0.1)
    return differences, len(pending)


def _is_expired(table: Table, one: Item | None, other: Item | None, side: MoveSide) -> bool:
    """Whether only one side has an item, which has expired: each store deletes it at a time of its own."""
    stored = one if other is None else other
    return None in (one, other) and stored is not None and is_expired(table, stored, side.context.now())


def _checksums(table: Table, side: MoveSide, on_page: Callable[[], None]) -> tuple[int, list[int]]:
    """Return the number of items, and the sum of their digests by group."""
    sums = [0] * GROUPS
    count = 0
    for page in side.pages(table):
        on_page()
        count += len(page)
        for item in page:
            sums[_group(table, item)] += _digest(item)
    return count, sums


def _keys(table: Table, side: MoveSide, groups: set[int], on_page: Callable[[], None]) -> dict[bytes, Item]:
    keys = {}
    for page in side.pages(table):
        on_page()
        for item in page:
            if _group(table, item) in groups:
                key = key_of(table, item)
                keys[_text(key)] = key
    return keys


def _group(table: Table, item: Item) -> int:
    return zlib.crc32(_text(key_of(table, item))) % GROUPS


def _digest(item: Item | None) -> int:
    return 0 if item is None else int.from_bytes(blake2b(_text(item), digest_size=8).digest(), "big")


def _text(item: Item) -> bytes:
    """The same bytes for equal items: endpoints order maps and sets, and write numbers, in their own ways."""
    normal = {name: _ordered(normalise(value)) for name, value in item.items()}
    return orjson.dumps(normal, option=orjson.OPT_SORT_KEYS, default=lambda value: bytes(value).hex())


def _ordered(value: Any) -> Any:
    ((kind, content),) = value.items()
    if kind in ("SS", "NS", "BS"):
        return {kind: sorted(content)}
    if kind == "L":
        return {kind: [_ordered(element) for element in content]}
    if kind == "M":
        return {kind: {name: _ordered(member) for name, member in content.items()}}
    return value
