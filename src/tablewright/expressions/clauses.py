"""What makes a clause of a condition acceptable once its values are known.

The checks run clause by clause, from left to right, in AWS's order: placeholders, then operand counts, then
distinctness, then types; within a clause inner functions come first.
"""

from collections.abc import Iterator
from typing import Any, NoReturn

from tablewright.errors import ValidationError
from tablewright.expressions.grammar import invalid
from tablewright.expressions.nodes import (
    And,
    Between,
    Call,
    Clause,
    Comparison,
    ConditionNode,
    Constant,
    Not,
    Operand,
    Or,
    Path,
    Within,
)
from tablewright.expressions.scope import Scope
from tablewright.values.attributes import AttributeValue, order, type_of

MAX_CHOICES = 100

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
TYPE_NAMES = frozenset({"B", "NULL", "SS", "BOOL", "L", "BS", "N", "NS", "S", "M"})


def bind_condition(node: ConditionNode, scope: Scope, kind: str) -> ConditionNode:
    """The condition with its placeholders replaced, every clause checked."""
    if isinstance(node, And):
        return And(tuple([bind_condition(term, scope, kind) for term in node.terms]))
    if isinstance(node, Or):
        return Or(tuple([bind_condition(term, scope, kind) for term in node.terms]))
    if isinstance(node, Not):
        return Not(bind_condition(node.term, scope, kind))
    clause = _resolved(node, scope, kind)
    try:
        check_clause(clause)
    except ValidationError as refusal:
        raise invalid(kind, refusal.message) from None
    return clause


def check_clause(clause: Clause) -> None:
    """Refuse a bound clause whose operands do not fit."""
    for check in (_check_counts, _check_distinct, _check_types):
        for part in _parts(clause):
            check(part)


def operands_of(clause: Clause) -> tuple[Operand, ...]:
    """The operands of a clause, in the order they were written."""
    match clause:
        case Comparison(_, left, right):
            return (left, right)
        case Between(operand, low, high):
            return (operand, low, high)
        case Within(operand, choices):
            return (operand, *choices)
        case Call(_, operands):
            return operands


def operator_of(clause: Clause) -> str:
    """The name AWS gives a clause's operator in its messages."""
    match clause:
        case Comparison(operator) | Call(operator):
            return operator
        case Between():
            return "BETWEEN"
        case Within():
            return "IN"


def _resolved(clause: Clause, scope: Scope, kind: str) -> Clause:
    match clause:
        case Comparison(operator, left, right):
            return Comparison(operator, scope.resolve(left, kind), scope.resolve(right, kind))
        case Between(operand, low, high):
            return Between(*[scope.resolve(each, kind) for each in (operand, low, high)])
        case Within(operand, choices):
            first = scope.resolve(operand, kind)
            return Within(first, tuple([scope.resolve(choice, kind) for choice in choices]))
        case Call(function, operands):
            return Call(function, tuple([scope.resolve(each, kind) for each in operands]))


def _parts(clause: Clause) -> Iterator[Clause]:
    """The calls inside a clause, innermost first, then the clause itself."""
    for operand in operands_of(clause):
        if isinstance(operand, Call):
            yield from _parts(operand)
    yield clause


def _check_counts(clause: Clause) -> None:
    match clause:
        case Call(function, operands) if len(operands) != _COUNTS[function]:
            refuse_count(function, len(operands))
        case Within(_, choices) if len(choices) > MAX_CHOICES:
            raise ValidationError(
                f"The IN operator is provided with too many operands; number of operands: {len(choices)}"
            )


def refuse_count(operator: str, count: int) -> NoReturn:
    """Refuse an operator or function that has too few or too many operands."""
    raise ValidationError(
        "Incorrect number of operands for operator or function; "
        f"operator or function: {operator}, number of operands: {count}"
    )


def _check_distinct(clause: Clause) -> None:
    first, *others = operands_of(clause)
    if isinstance(first, Path) and first in others:
        raise ValidationError(
            "The first operand must be distinct from the remaining operands for this operator or function; "
            f"operator: {operator_of(clause)}, first operand: {first}"
        )


def _check_types(clause: Clause) -> None:
    match clause:
        case Comparison(operator, left, right):
            if operator in _ORDERING:
                _require_types(operator, _ORDERED, left, right)
        case Between(operand, low, high):
            _require_types("BETWEEN", _ORDERED, operand, low, high)
            if isinstance(low, Constant) and isinstance(high, Constant):
                _check_bounds(low.value, high.value)
        case Call("attribute_exists" | "attribute_not_exists" as function, (operand,)):
            if not isinstance(operand, Path):
                raise ValidationError(
                    f"Operator or function requires a document path; operator or function: {function}"
                )
        case Call("attribute_type", (_, wanted)):
            _check_type_name(wanted)
        case Call("begins_with", operands):
            _require_types("begins_with", _PREFIXED, *operands)
        case Call("contains", (holder, _)):
            _require_types("contains", _HOLDERS, holder)
        case Call("size", operands):
            _require_types("size", _SIZED, *operands)


def _require_types(operator: str, allowed: frozenset[str], *operands: Operand) -> None:
    for operand in operands:
        kind = static_type(operand)
        if kind is not None and kind not in allowed:
            refuse_type(operator, kind)


def refuse_type(operator: str, kind: str) -> NoReturn:
    """Refuse an operand whose type is known before any item is seen."""
    raise ValidationError(
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {kind}"
    )


def static_type(operand: Operand) -> str | None:
    """The type an operand has whatever the item; None for a path."""
    match operand:
        case Constant(value):
            return type_of(value)
        case Call("size"):
            return "N"
        case _:
            return None


def _check_type_name(wanted: Operand) -> None:
    kind = static_type(wanted)
    if kind != "S":
        refuse_type("attribute_type", kind or "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")
    assert isinstance(wanted, Constant)
    name = wanted.value["S"]
    if name not in TYPE_NAMES:
        raise ValidationError(
            f"Invalid attribute type name found; type: {name}, valid types: {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}"
        )


def _check_bounds(low: AttributeValue, high: AttributeValue) -> None:
    if type_of(low) != type_of(high):
        complaint = "same data type for lower and upper bounds"
    elif order(low, high) == 1:
        complaint = "upper bound to be greater than or equal to lower bound"
    else:
        return
    raise ValidationError(
        f"The BETWEEN operator requires {complaint}; "
        f"lower bound operand: AttributeValue: {_printed(low)}, "
        f"upper bound operand: AttributeValue: {_printed(high)}"
    )


def _printed(value: AttributeValue) -> str:
    content: Any
    ((kind, content),) = value.items()
    return f"{{{kind}:{content}}}"
