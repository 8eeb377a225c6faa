"""Key conditions: golden cases."""

from tablewright.dynamodb.expressions import (
    KeyCondition,
    key_condition,
)
from tests.dynamodb.expressions.plain import plain_item
from tests.dynamodb.expressions.scripts import Scene, play


def test_key_conditions(update_golden: bool) -> None:
    play("key_conditions.txt", _key_condition, update=update_golden)


def _key_condition(text: str, scene: Scene) -> str:
    return _matched(key_condition(text, scene.scope()), scene)


def _matched(keys: KeyCondition, scene: Scene) -> str:
    hashes, _, ranges = scene.key.partition("|")
    types = dict(_typed(attribute) for attribute in (hashes + ranges).split())
    hash_names = [_typed(name)[0] for name in hashes.split()]
    range_names = [_typed(name)[0] for name in ranges.split()]
    found = keys.match(hash_names, range_names, types)
    equal = dict(zip(hash_names, found.hash_values, strict=True))
    equal |= dict(zip(range_names, found.prefix, strict=False))
    if found.operator is None:
        return plain_item(equal)
    operands = plain_item({str(at): operand for at, operand in enumerate(found.operands)})
    return f"{plain_item(equal)} {range_names[len(found.prefix)]} {found.operator} {operands}"


def _typed(name: str) -> tuple[str, str]:
    name, _, kind = name.partition(":")
    return name, kind or "S"
