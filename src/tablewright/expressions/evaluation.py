"""Bound conditions and operands, compiled to closures: built once for a request, called once for an item.

A missing attribute is None. It is equal to nothing, unequal to everything, and has no order, size, prefix or
content; the same is true between values of different types.
"""

import operator
from base64 import b64decode
from collections.abc import Callable
from typing import Any, TypeAlias

from tablewright.expressions.nodes import (
    And,
    Between,
    Call,
    Comparison,
    ConditionNode,
    Constant,
    Not,
    Operand,
    Or,
    Path,
    Within,
)
from tablewright.values.attributes import AttributeValue, Item, equal, order, type_of
from tablewright.values.numbers import number

Getter: TypeAlias = Callable[[Item], AttributeValue | None]
Predicate: TypeAlias = Callable[[Item], bool]
Sign: TypeAlias = Callable[[Any, Any], bool]

_SIGNS: dict[str, Sign] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_SCALARS = frozenset({"S", "N", "B", "BOOL", "NULL"})
_RANKS: dict[str, Callable[[str], Any]] = {"S": str, "N": number, "B": b64decode}


def predicate(node: ConditionNode) -> Predicate:
    """A bound condition as a function of the item."""
    if isinstance(node, Comparison):
        return _comparison(node.operator, node.left, node.right)
    if isinstance(node, Call):
        return _FUNCTIONS[node.function](*[getter(each) for each in node.operands])
    if isinstance(node, And):
        return _all([predicate(term) for term in node.terms])
    if isinstance(node, Or):
        return _any([predicate(term) for term in node.terms])
    if isinstance(node, Not):
        return _negated(predicate(node.term))
    if isinstance(node, Between):
        at_least = _ordering(operator.ge, node.operand, node.low)
        at_most = _ordering(operator.le, node.operand, node.high)
        return lambda item: at_least(item) and at_most(item)
    return _within(node)


def getter(operand: Operand) -> Getter:
    """A bound operand as a function of the item, which returns None when there is no such value."""
    if isinstance(operand, Constant):
        value = operand.value
        return lambda item: value
    if isinstance(operand, Path):
        parts = operand.parts
        if len(parts) > 1:
            return lambda item: value_at(item, parts)
        name = operand.attribute
        return lambda item: item.get(name)
    if isinstance(operand, Call):
        return _size(getter(operand.operands[0]))
    raise AssertionError(f"not an operand of a condition: {operand}")


def value_at(item: Item, parts: tuple[str | int, ...]) -> AttributeValue | None:
    """The value at a document path, or None.

    >>> value_at({"a": {"L": [{"M": {"b": {"N": "1"}}}]}}, ("a", 0, "b"))
    {'N': '1'}
    """
    value = item.get(parts[0])  # type: ignore[arg-type]
    for part in parts[1:]:
        if value is None:
            return None
        if isinstance(part, str):
            members = value.get("M")
            value = None if members is None else members.get(part)
        else:
            elements = value.get("L")
            value = elements[part] if elements is not None and part < len(elements) else None
    return value


def size_of(value: AttributeValue) -> int | None:
    """The result of `size()`; None for numbers, booleans and null, which have none.

    The size of a string is its number of UTF-16 units, of a binary its bytes, of a set, list or map its elements.

    >>> size_of({"S": "käse"}), size_of({"S": "𝄞"}), size_of({"NS": ["1", "2"]}), size_of({"N": "1"})
    (4, 2, 2, None)
    """
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content) if content.isascii() else len(content.encode("utf-16-le", "surrogatepass")) // 2
    if kind == "B":
        return len(b64decode(content))
    return None if kind in _SCALARS else len(content)


def begins_with(value: AttributeValue, prefix: AttributeValue) -> bool:
    """Whether a string begins with a string, or a binary with a binary."""
    if "S" in value and "S" in prefix:
        return bool(value["S"].startswith(prefix["S"]))
    if "B" in value and "B" in prefix:
        return b64decode(value["B"]).startswith(b64decode(prefix["B"]))
    return False


def contains(holder: AttributeValue, sought: AttributeValue) -> bool:
    """Whether a string or binary contains a substring, or a set or list an element.

    >>> contains({"S": "abc"}, {"S": "bc"}), contains({"NS": ["1"]}, {"N": "1"})
    (True, True)
    """
    ((kind, content),) = holder.items()
    if kind == "L":
        return any(equal(element, sought) for element in content)
    if kind not in ("S", "B", "SS", "NS", "BS"):
        return False
    piece = sought.get(kind[0])
    if piece is None:
        return False
    return b64decode(piece) in b64decode(content) if kind == "B" else piece in content


def _all(terms: list[Predicate]) -> Predicate:
    if len(terms) == 2:
        first, second = terms
        return lambda item: first(item) and second(item)
    return lambda item: all(term(item) for term in terms)


def _any(terms: list[Predicate]) -> Predicate:
    if len(terms) == 2:
        first, second = terms
        return lambda item: first(item) or second(item)
    return lambda item: any(term(item) for term in terms)


def _negated(term: Predicate) -> Predicate:
    return lambda item: not term(item)


def _comparison(sign: str, left: Operand, right: Operand) -> Predicate:
    if sign == "=":
        return _equality(left, right)
    if sign == "<>":
        return _negated(_equality(left, right))
    return _ordering(_SIGNS[sign], left, right)


def _equality(left: Operand, right: Operand) -> Predicate:
    first, second = getter(left), getter(right)
    if isinstance(right, Constant) and type_of(right.value) in _SCALARS:
        # Scalars are canonical inside the engine, so equal values are equal dictionaries.
        expected = right.value
        return lambda item: first(item) == expected

    def same(item: Item) -> bool:
        one, other = first(item), second(item)
        return one is not None and other is not None and equal(one, other)

    return same


def _ordering(sign: Sign, left: Operand, right: Operand) -> Predicate:
    first, second = getter(left), getter(right)
    if isinstance(right, Constant):
        return _ordering_to(sign, first, right.value)

    def ordered(item: Item) -> bool:
        one, other = first(item), second(item)
        if one is None or other is None:
            return False
        rank = order(one, other)
        return rank is not None and sign(rank, 0)

    return ordered


def _ordering_to(sign: Sign, operand: Getter, bound: AttributeValue) -> Predicate:
    """A comparison with a value from the request: the most frequent test of a filter over thousands of items."""
    ((kind, content),) = bound.items()
    rank = _RANKS[kind]
    limit = rank(content)

    def ordered(item: Item) -> bool:
        value = operand(item)
        if value is None:
            return False
        found = value.get(kind)
        return found is not None and sign(rank(found), limit)

    return ordered


def _within(node: Within) -> Predicate:
    operand = getter(node.operand)
    known = {pair for choice in node.choices if (pair := _scalar(choice)) is not None}
    others = [getter(choice) for choice in node.choices if _scalar(choice) is None]

    def within(item: Item) -> bool:
        value = operand(item)
        if value is None:
            return False
        ((kind, content),) = value.items()
        if kind in _SCALARS and (kind, content) in known:
            return True
        candidates = (choice(item) for choice in others)
        return any(candidate is not None and equal(value, candidate) for candidate in candidates)

    return within


def _scalar(operand: Operand) -> tuple[str, Any] | None:
    """Type and content of a scalar from the request; two pairs are equal exactly when the values are."""
    if not isinstance(operand, Constant):
        return None
    ((kind, content),) = operand.value.items()
    return (kind, content) if kind in _SCALARS else None


def _size(inner: Getter) -> Getter:
    def size(item: Item) -> AttributeValue | None:
        value = inner(item)
        length = None if value is None else size_of(value)
        return None if length is None else {"N": str(length)}

    return size


def _exists(path: Getter) -> Predicate:
    return lambda item: path(item) is not None


def _not_exists(path: Getter) -> Predicate:
    return lambda item: path(item) is None


def _has_type(operand: Getter, type_name: Getter) -> Predicate:
    return _both(operand, type_name, lambda value, kind: kind["S"] in value)


def _begins_with(operand: Getter, prefix: Getter) -> Predicate:
    return _both(operand, prefix, begins_with)


def _contains(holder: Getter, sought: Getter) -> Predicate:
    return _both(holder, sought, contains)


def _both(left: Getter, right: Getter, test: Callable[[AttributeValue, AttributeValue], bool]) -> Predicate:
    def holds(item: Item) -> bool:
        one, other = left(item), right(item)
        return one is not None and other is not None and test(one, other)

    return holds


_FUNCTIONS: dict[str, Callable[..., Predicate]] = {
    "attribute_exists": _exists,
    "attribute_not_exists": _not_exists,
    "attribute_type": _has_type,
    "begins_with": _begins_with,
    "contains": _contains,
}
