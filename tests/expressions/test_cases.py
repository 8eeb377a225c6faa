"""The golden cases of tests/cases/expressions: every kind of expression, its answers and its refusals."""

from typing import Any

import orjson

from tablewright.expressions import (
    KeyCondition,
    condition,
    key_condition,
    legacy_parameters,
    projection,
    update,
)
from tests.expressions.plain import attribute, plain_item
from tests.expressions.scripts import Scene, play


def test_conditions(update_golden: bool) -> None:
    play("conditions.txt", _condition, update=update_golden)


def test_conditions_refused(update_golden: bool) -> None:
    play("conditions_refused.txt", _condition, update=update_golden)


def test_updates(update_golden: bool) -> None:
    play("updates.txt", _update, update=update_golden)


def test_updates_refused(update_golden: bool) -> None:
    play("updates_refused.txt", _update, update=update_golden)


def test_what_updates_touch(update_golden: bool) -> None:
    play("updates_touched.txt", _touched, update=update_golden)


def test_projections(update_golden: bool) -> None:
    play("projections.txt", _projection, update=update_golden)


def test_key_conditions(update_golden: bool) -> None:
    play("key_conditions.txt", _key_condition, update=update_golden)


def test_expected(update_golden: bool) -> None:
    play("expected.txt", _expected, update=update_golden)


def test_attribute_updates(update_golden: bool) -> None:
    play("attribute_updates.txt", _attribute_updates, update=update_golden)


def test_legacy_key_conditions(update_golden: bool) -> None:
    play("legacy_key_conditions.txt", _key_conditions, update=update_golden)


def _condition(text: str, scene: Scene) -> str:
    return str(condition(text, scene.scope()).matches(scene.item)).lower()


def _update(text: str, scene: Scene) -> str:
    return plain_item(update(text, scene.scope()).apply(scene.item))


def _touched(text: str, scene: Scene) -> str:
    change = update(text, scene.scope())
    return f"{plain_item(change.touched(scene.item))} then {plain_item(change.touched(change.apply(scene.item)))}"


def _projection(text: str, scene: Scene) -> str:
    return plain_item(projection(text, scene.scope()).of(scene.item))


def _key_condition(text: str, scene: Scene) -> str:
    return _matched(key_condition(text, scene.scope()), scene)


def _expected(text: str, scene: Scene) -> str:
    conditions = _legacy(text)
    legacy_parameters.require_conditional_operator_fits(scene.operator, conditions)
    return str(legacy_parameters.expected(conditions, scene.operator).matches(scene.item)).lower()


def _attribute_updates(text: str, scene: Scene) -> str:
    return plain_item(legacy_parameters.attribute_updates(_legacy(text)).apply(scene.item))


def _key_conditions(text: str, scene: Scene) -> str:
    return _matched(legacy_parameters.key_conditions(_legacy(text)), scene)


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


def _legacy(text: str) -> dict[str, dict[str, Any]]:
    """A legacy parameter whose values are in plain notation, as DynamoDB takes it."""
    parameter: dict[str, dict[str, Any]] = orjson.loads(text)
    for each in parameter.values():
        if "Value" in each:
            each["Value"] = attribute(each["Value"])
        if "AttributeValueList" in each:
            each["AttributeValueList"] = [attribute(value) for value in each["AttributeValueList"]]
    return parameter
