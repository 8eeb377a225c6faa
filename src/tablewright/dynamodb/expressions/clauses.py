"""The checks of a condition's clauses once their values are known.

The checks run clause by clause, from left to right, in AWS's order: placeholders, then operand counts, then
distinctness, then types; in each of these, an inner function is checked before the clause that contains it. The only
function that can be an operand is size().
"""

from collections.abc import Mapping
from typing import Any, NoReturn

from tablewright.dynamodb.expressions.grammar import invalid
from tablewright.dynamodb.expressions.nodes import (
    And,
    BetweenNode,
    Clause,
    ComparisonNode,
    ConditionNode,
    Constant,
    FunctionCall,
    NotNode,
    Operand,
    Or,
    Path,
    Slot,
    Within,
    known_type,
)
from tablewright.dynamodb.expressions.placeholders import Scope
from tablewright.dynamodb.values.attributes import AttributeValue, order, type_of
from tablewright.errors import ValidationError

MAX_CHOICES = 100
TYPE_NAMES = frozenset({"B", "NULL", "SS", "BOOL", "L", "BS", "N", "NS", "S", "M"})

_COUNTS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
}
_ORDERED = frozenset({"S", "N", "B"})
_ORDERING = frozenset({"<", "<=", ">", ">="})
_SIZED = frozenset({"S", "B", "SS", "NS", "BS", "L", "M"})
_HOLDERS = frozenset({"S", "B", "SS", "NS", "BS", "L"})
_PREFIXED = frozenset({"S", "B"})


def bind_condition(node: ConditionNode, scope: Scope, kind: str) -> ConditionNode:
    """The condition with its placeholders replaced and every clause checked."""
    if isinstance(node, And):
        return And(tuple([bind_condition(term, scope, kind) for term in node.terms]))
    if isinstance(node, Or):
        return Or(tuple([bind_condition(term, scope, kind) for term in node.terms]))
    if isinstance(node, NotNode):
        return NotNode(bind_condition(node.term, scope, kind))
    clause = _resolved(node, scope, kind)
    try:
        check_clause(clause)
    except ValidationError as error:
        raise invalid(kind, error.message) from None
    return clause


def operands_of(clause: Clause) -> tuple[Operand, ...]:
    """The operands of a clause, in the order they were written."""
    if isinstance(clause, ComparisonNode):
        return (clause.left, clause.right)
    if isinstance(clause, FunctionCall):
        return clause.operands
    if isinstance(clause, BetweenNode):
        return (clause.operand, clause.low, clause.high)
    return (clause.operand, *clause.choices)


def operator_of(clause: Clause) -> str:
    """The name of a clause's operator in AWS's messages."""
    if isinstance(clause, ComparisonNode):
        return clause.operator
    if isinstance(clause, FunctionCall):
        return clause.function
    return "BETWEEN" if isinstance(clause, BetweenNode) else "IN"


def reject_count(operator: str, count: int) -> NoReturn:
    """Reject an operator or function that has too few or too many operands."""
    raise ValidationError(
        "Incorrect number of operands for operator or function; "
        f"operator or function: {operator}, number of operands: {count}"
    )


def reject_type(operator: str, kind: str) -> NoReturn:
    """Reject an operand whose type is known before any item is read."""
    raise ValidationError(
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {kind}"
    )


def _resolved(clause: Clause, scope: Scope, kind: str) -> Clause:
    if isinstance(clause, ComparisonNode):
        return ComparisonNode(
            clause.operator, scope.resolve(clause.left, kind), scope.resolve(clause.right, kind)
        )
    if isinstance(clause, FunctionCall):
        return scope.resolve_call(clause, kind)
    first, *others = [scope.resolve(operand, kind) for operand in operands_of(clause)]
    return BetweenNode(first, *others) if isinstance(clause, BetweenNode) else Within(first, tuple(others))


def check_clause(clause: Clause) -> None:
    """Reject a bound clause with invalid operands."""
    operands = operands_of(clause)
    sizes = [operand for operand in operands if isinstance(operand, FunctionCall)]
    for size in sizes:
        _check_count(size)
    _check_count(clause)
    first = operands[0]
    if isinstance(first, Path) and first in operands[1:]:
        raise ValidationError(
            "The first operand must be distinct from the remaining operands for this operator or function; "
            f"operator: {operator_of(clause)}, first operand: {first}"
        )
    for size in sizes:
        _check_call(size)
    _check_types(clause)


def _check_count(clause: Clause) -> None:
    if isinstance(clause, FunctionCall):
        if len(clause.operands) != _COUNTS[clause.function]:
            reject_count(clause.function, len(clause.operands))
    elif isinstance(clause, Within) and len(clause.choices) > MAX_CHOICES:
        raise ValidationError(
            f"The IN operator is provided with too many operands; number of operands: {len(clause.choices)}"
        )


def depends_on_values(clause: Clause) -> bool:
    """Whether the checks of a prepared clause are not complete before its values are known."""
    match clause:
        case BetweenNode(_, Slot(), Slot()) | FunctionCall("attribute_type", (_, Slot())):
            return True
        case _:
            return False


def check_values(clause: Clause, values: Mapping[str, AttributeValue], kind: str) -> None:
    """Make the checks of a prepared clause that depend on the contents of its values."""
    try:
        match clause:
            case BetweenNode(_, Slot(low), Slot(high)):
                _check_bounds(values[low], values[high])
            case FunctionCall("attribute_type", (_, Slot(name))):
                _require_type_name(values[name]["S"])
    except ValidationError as error:
        raise invalid(kind, error.message) from None


def _check_types(clause: Clause) -> None:
    if isinstance(clause, ComparisonNode):
        if clause.operator in _ORDERING:
            _require_types(clause.operator, _ORDERED, clause.left, clause.right)
    elif isinstance(clause, FunctionCall):
        _check_call(clause)
    elif isinstance(clause, BetweenNode):
        low, high = clause.low, clause.high
        _require_types("BETWEEN", _ORDERED, clause.operand, low, high)
        if isinstance(low, Constant) and isinstance(high, Constant):
            _check_bounds(low.value, high.value)


def _check_call(call: FunctionCall) -> None:
    match call.function:
        case "attribute_exists" | "attribute_not_exists" as function:
            if not isinstance(call.operands[0], Path):
                raise ValidationError(
                    f"Operator or function requires a document path; operator or function: {function}"
                )
        case "begins_with":
            _require_types("begins_with", _PREFIXED, *call.operands)
        case "contains":
            _require_types("contains", _HOLDERS, call.operands[0])
        case "size":
            _require_types("size", _SIZED, call.operands[0])
        case "attribute_type":
            _check_type_name(call.operands[1])


def _require_types(operator: str, allowed: frozenset[str], *operands: Operand) -> None:
    for operand in operands:
        kind = _static_type(operand)
        if kind is not None and kind not in allowed:
            reject_type(operator, kind)


def _static_type(operand: Operand) -> str | None:
    """The type that an operand has for every item; None for a path."""
    return "N" if isinstance(operand, FunctionCall) else known_type(operand)


def _check_type_name(operand: Operand) -> None:
    if known_type(operand) != "S":
        reject_type("attribute_type", _static_type(operand) or "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")
    if isinstance(operand, Constant):
        _require_type_name(operand.value["S"])


def _require_type_name(name: str) -> None:
    if name not in TYPE_NAMES:
        raise ValidationError(
            f"Invalid attribute type name found; type: {name}, valid types: {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}"
        )


def _check_bounds(low: AttributeValue, high: AttributeValue) -> None:
    if type_of(low) != type_of(high):
        requirement = "same data type for lower and upper bounds"
    elif order(low, high) == 1:
        requirement = "upper bound to be greater than or equal to lower bound"
    else:
        return
    raise ValidationError(
        f"The BETWEEN operator requires {requirement}; "
        f"lower bound operand: AttributeValue: {_printed(low)}, "
        f"upper bound operand: AttributeValue: {_printed(high)}"
    )


def _printed(value: AttributeValue) -> str:
    content: Any
    ((kind, content),) = value.items()
    return f"{{{kind}:{content}}}"
