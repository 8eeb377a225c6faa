"""The legacy parameters that expressions replaced, converted to the same values as expressions.

Expected, QueryFilter and ScanFilter become a `Condition`, AttributeUpdates an `Update`, KeyConditions a
`KeyCondition`, AttributesToGet a `Projection`: no other module knows which style a request used.
The shapes of the parameters (JSON types, enumerations) have been checked before.

Parameter styles: expressions and legacy parameters, which a request may not mix.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from tablewright.dynamodb.expressions.condition import ItemCondition, conjunction, disjunction
from tablewright.dynamodb.expressions.key_condition import BEGINS_WITH, BETWEEN, KeyCondition, KeyTest
from tablewright.dynamodb.expressions.nodes import (
    Action,
    AddToValue,
    And,
    Assign,
    BetweenNode,
    ComparisonNode,
    ConditionNode,
    Constant,
    DeleteFromSet,
    FunctionCall,
    NotNode,
    Path,
    RemovePath,
    Within,
)
from tablewright.dynamodb.expressions.placeholders import MAX_NAME
from tablewright.dynamodb.expressions.projection import Projection
from tablewright.dynamodb.expressions.update import Actions, ItemUpdate
from tablewright.dynamodb.values.attributes import AttributeValue, normalise, order, type_of
from tablewright.errors import ValidationError

_WITHOUT_VALUES = "ProjectionExpression"


def require_one_style(
    request: Mapping[str, Any], expressions: tuple[str, ...], legacy: tuple[str, ...]
) -> None:
    """Reject expressions together with legacy parameters, and placeholders without expressions.

    `expressions` and `legacy` are the parameters of the operation, in the order AWS lists them.

    >>> require_one_style({"AttributesToGet": ["a"]}, ("ProjectionExpression",), ("AttributesToGet",))
    """
    parameters = tuple([name for name, member in request.items() if member is not None])
    _require_one_style(parameters, expressions, legacy)


@lru_cache(maxsize=1024)
def _require_one_style(
    parameters: tuple[str, ...], expressions: tuple[str, ...], legacy: tuple[str, ...]
) -> None:
    used = [name for name in expressions if name in parameters]
    if used:
        _require_no_legacy(parameters, used, legacy)
    elif "ExpressionAttributeNames" in parameters:
        raise ValidationError("ExpressionAttributeNames can only be specified when using expressions")
    with_values = [name for name in expressions if name != _WITHOUT_VALUES]
    if "ExpressionAttributeValues" not in parameters or any(name in used for name in with_values):
        return
    if with_values:
        verb = "are" if len(with_values) > 1 else "is"
        message = "ExpressionAttributeValues can only be specified when using expressions"
        raise ValidationError(message, older=f"{message}: {' and '.join(with_values)} {verb} null")


def _require_no_legacy(parameters: Sequence[str], used: Sequence[str], legacy: Sequence[str]) -> None:
    clashing = [name for name in legacy if name in parameters]
    if "KeyConditionExpression" not in used and "KeyConditions" in clashing:
        # A Query may combine KeyConditions with a FilterExpression or ProjectionExpression.
        clashing.remove("KeyConditions")
    if clashing:
        raise ValidationError(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(clashing)}}} "
            f"Expression parameters: {{{', '.join(used)}}}"
        )


_INVALID = "One or more parameter values were invalid: "
_COMPARISONS = {"EQ": "=", "NE": "<>", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
_INDEXABLE = {**_COMPARISONS, "BETWEEN": BETWEEN, "BEGINS_WITH": BEGINS_WITH}
_VALUELESS = frozenset({"NULL", "NOT_NULL"})

_ORDERED = frozenset({"S", "N", "B"})
_OPERAND_TYPES = {
    "LT": _ORDERED,
    "LE": _ORDERED,
    "GT": _ORDERED,
    "GE": _ORDERED,
    "IN": _ORDERED,
    "BETWEEN": _ORDERED,
    "BEGINS_WITH": frozenset({"S", "B"}),
    "CONTAINS": frozenset({"S", "N", "B", "BOOL", "NULL"}),
    "NOT_CONTAINS": frozenset({"S", "N", "B", "BOOL", "NULL"}),
}
_SETS = frozenset({"SS", "NS", "BS"})
_ADDABLE = _SETS | {"N", "L"}


def expected(conditions: Mapping[str, Mapping[str, Any]], operator: str | None = None) -> ItemCondition:
    """The condition of Expected; `operator` is the request's ConditionalOperator.

    >>> absent = expected({"id": {"Exists": False}})
    >>> absent.matches(None), absent.matches({"id": {"S": "x"}})
    (True, False)
    """
    return _joined({name: _expectation(name, condition) for name, condition in conditions.items()}, operator)


def filter_conditions(
    conditions: Mapping[str, Mapping[str, Any]], operator: str | None = None
) -> ItemCondition:
    """The condition of QueryFilter or ScanFilter; `operator` is the request's ConditionalOperator."""
    nodes = {}
    for name, condition in conditions.items():
        _check_name(name)
        comparison = condition["ComparisonOperator"]
        nodes[name] = _comparison(
            name, comparison, _operands(comparison, condition.get("AttributeValueList"))
        )
    return _joined(nodes, operator)


def key_conditions(conditions: Mapping[str, Mapping[str, Any]]) -> KeyCondition:
    """The key condition of KeyConditions."""
    tests = {}
    for name, condition in conditions.items():
        _check_name(name)
        comparison = condition["ComparisonOperator"]
        operands = _operands(comparison, condition.get("AttributeValueList"))
        tests[name] = KeyTest(_INDEXABLE.get(comparison, comparison), tuple(operands))
    return KeyCondition(lambda: tests)


def attribute_updates(updates: Mapping[str, Mapping[str, Any]]) -> ItemUpdate:
    """The update of AttributeUpdates.

    >>> attribute_updates({"n": {"Action": "ADD", "Value": {"N": "1"}}}).apply({"n": {"N": "41"}})
    {'n': {'N': '42'}}
    """
    actions = Actions([_action(name, update) for name, update in updates.items()])
    return ItemUpdate(actions, mismatch="Type mismatch for attribute to update")


def attributes_to_get(names: Sequence[str]) -> Projection:
    """The projection of AttributesToGet.

    >>> attributes_to_get(["a"]).of({"a": {"N": "1"}, "b": {"N": "2"}})
    {'a': {'N': '1'}}
    """
    seen = set()
    for name in names:
        if name in seen:
            raise ValidationError(f"{_INVALID}Duplicate value in attribute name: {name}")
        seen.add(name)
        _check_name(name)
    return Projection(tuple([Path((name,)) for name in names]))


def require_conditional_operator_fits(operator: str | None, *conditions: Mapping[str, Any] | None) -> None:
    """Reject a ConditionalOperator without at least two conditions."""
    if operator is None:
        return
    counts = [len(condition) for condition in conditions if condition]
    if not counts:
        raise ValidationError("ConditionalOperator cannot be used without Filter or Expected")
    if max(counts) < 2:
        raise ValidationError(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        )


def _joined(nodes: Mapping[str, ConditionNode], operator: str | None) -> ItemCondition:
    if not nodes:
        return ItemCondition.of(And(()))
    join = disjunction if operator == "OR" else conjunction
    return ItemCondition.of(join(list(nodes.values())))


def _expectation(name: str, condition: Mapping[str, Any]) -> ConditionNode:
    _check_name(name)
    value, values = condition.get("Value"), condition.get("AttributeValueList")
    comparison, exists = condition.get("ComparisonOperator"), condition.get("Exists")
    if value is not None and values is not None:
        _reject(f"Value and AttributeValueList cannot be used together for Attribute: {name}")
    if comparison is None:
        return _existence(name, value, values, exists)
    if exists is not None:
        _reject(f"Exists and ComparisonOperator cannot be used together for Attribute: {name}")
    if value is None and values is None and comparison not in _VALUELESS:
        _reject(
            f"Value or AttributeValueList must be used with ComparisonOperator: {comparison} "
            f"for Attribute: {name}"
        )
    return _comparison(name, comparison, _operands(comparison, values if value is None else [value]))


def _existence(
    name: str, value: Any, values: Sequence[Any] | None, exists: bool | None
) -> ComparisonNode | FunctionCall:
    if values is not None:
        _reject(f"AttributeValueList can only be used with a ComparisonOperator for Attribute: {name}")
    if exists is False:
        if value is not None:
            _reject(f"Value cannot be used when Exists is false for Attribute: {name}")
        return FunctionCall("attribute_not_exists", (Path((name,)),))
    if value is None:
        stated = "null" if exists is None else "true"
        _reject(f"Value must be provided when Exists is {stated} for Attribute: {name}")
    return ComparisonNode("=", Path((name,)), Constant(normalise(value)))


def _operands(comparison: str, values: Sequence[Any] | None) -> list[AttributeValue]:
    """The values of a comparison, validated, with their number and types checked."""
    operands = [normalise(value) for value in values or ()]
    if not _count_fits(comparison, len(operands)):
        _reject(f"Invalid number of argument(s) for the {comparison} ComparisonOperator")
    kinds = [type_of(operand) for operand in operands]
    if len(set(kinds)) > 1:
        _reject("AttributeValues inside AttributeValueList must be of same type")
    if kinds and comparison in _OPERAND_TYPES and kinds[0] not in _OPERAND_TYPES[comparison]:
        _reject(f"ComparisonOperator {comparison} is not valid for {kinds[0]} AttributeValue type")
    if comparison == "BETWEEN" and order(*operands) == 1:
        raise ValidationError(
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
        )
    return operands


def _count_fits(comparison: str, count: int) -> bool:
    if comparison == "IN":
        return count > 0
    if comparison in _VALUELESS:
        return count == 0
    return count == (2 if comparison == "BETWEEN" else 1)


def _comparison(name: str, comparison: str, operands: list[AttributeValue]) -> ConditionNode:
    path = Path((name,))
    constants = tuple([Constant(operand) for operand in operands])
    match comparison:
        case "NULL":
            return FunctionCall("attribute_not_exists", (path,))
        case "NOT_NULL":
            return FunctionCall("attribute_exists", (path,))
        case "CONTAINS":
            return FunctionCall("contains", (path, *constants))
        case "NOT_CONTAINS":
            # Unlike `NOT contains(...)`, this fails on a missing attribute.
            return And(
                (
                    FunctionCall("attribute_exists", (path,)),
                    NotNode(FunctionCall("contains", (path, *constants))),
                )
            )
        case "BEGINS_WITH":
            return FunctionCall(BEGINS_WITH, (path, *constants))
        case "IN":
            return Within(path, constants)
        case "BETWEEN":
            return BetweenNode(path, *constants)
        case _:
            return ComparisonNode(_COMPARISONS[comparison], path, *constants)


def _action(name: str, update: Mapping[str, Any]) -> Action:
    _check_name(name)
    action = update.get("Action") or "PUT"
    path = Path((name,))
    if update.get("Value") is None:
        if action != "DELETE":
            _reject("Only DELETE action is allowed when no attribute value is specified")
        return RemovePath(path)
    value = normalise(update["Value"])
    kind = type_of(value)
    if action == "PUT":
        return Assign(path, Constant(value))
    if action == "ADD":
        if kind not in _ADDABLE:
            _reject(f"ADD action is not supported for the type {kind}")
        return AddToValue(path, Constant(value))
    if kind not in _SETS:
        _reject(f"DELETE action with value is not supported for the type {kind}")
    return DeleteFromSet(path, Constant(value))


def _check_name(name: str) -> None:
    if not name:
        _reject("Empty attribute name")
    if len(name) > MAX_NAME or len(name.encode()) > MAX_NAME:
        _reject(f"Attribute name is too large, must be less than {MAX_NAME + 1} bytes")


def _reject(message: str) -> NoReturn:
    raise ValidationError(_INVALID + message)
