"""Bound conditions and operands, compiled to closures: built once a request, run once an item.

A missing attribute is None. It equals nothing, differs from everything, and has no order, size, prefix or
content; the same holds between values of different types.
"""

import operator
from base64 import b64decode
from collections.abc import Callable
from typing import TypeAlias

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

Getter: TypeAlias = Callable[[Item], AttributeValue | None]
Predicate: TypeAlias = Callable[[Item], bool]

_SIGNS: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SCALARS = frozenset({"S", "N", "B", "BOOL", "NULL"})


def predicate(node: ConditionNode) -> Predicate:
    """A bound condition as a function of the item."""
    match node:
        case And(terms):
            return _all([predicate(term) for term in terms])
        case Or(terms):
            return _any([predicate(term) for term in terms])
        case Not(term):
            return _negated(predicate(term))
        case Comparison("=", left, right):
            return _equality(left, right)
        case Comparison("<>", left, right):
            return _negated(_equality(left, right))
        case Comparison(sign, left, right):
            return _ordering(_SIGNS[sign], getter(left), getter(right))
        case Between(operand, low, high):
            return _between(getter(operand), getter(low), getter(high))
        case Within(operand, choices):
            return _within(getter(operand), [getter(choice) for choice in choices])
        case Call(function, operands):
            return _FUNCTIONS[function](*[getter(each) for each in operands])


def getter(operand: Operand) -> Getter:
    """A bound operand as a function of the item, None where there is no such value."""
    match operand:
        case Constant(value):
            return lambda item: value
        case Path((str(name),)):
            return lambda item: item.get(name)
        case Path(parts):
            return lambda item: value_at(item, parts)
        case Call("size", (inner,)):
            return _size(getter(inner))
        case _:
            raise AssertionError(f"not an operand of a condition: {operand}")


def value_at(item: Item, parts: tuple[str | int, ...]) -> AttributeValue | None:
    """The value at a document path, None if the item has none there.

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
    """What `size()` gives: bytes of text and binary, elements of a set, list or map; None for the others.

    >>> size_of({"S": "käse"}), size_of({"NS": ["1", "2"]}), size_of({"N": "1"})
    (5, 2, None)
    """
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content.encode())
    if kind == "B":
        return len(b64decode(content))
    return None if kind in _SCALARS else len(content)


def begins_with(value: AttributeValue, prefix: AttributeValue) -> bool:
    """Whether a text begins with a text, or a binary with a binary."""
    if "S" in value and "S" in prefix:
        return bool(value["S"].startswith(prefix["S"]))
    if "B" in value and "B" in prefix:
        return b64decode(value["B"]).startswith(b64decode(prefix["B"]))
    return False


def contains(holder: AttributeValue, sought: AttributeValue) -> bool:
    """Whether a text or binary holds a piece of it, or a set or list an element.

    >>> contains({"S": "abc"}, {"S": "bc"}), contains({"NS": ["1"]}, {"N": "1"})
    (True, True)
    """
    ((kind, content),) = holder.items()
    if kind == "L":
        return any(equal(element, sought) for element in content)
    piece = sought.get(kind[0])
    if piece is None or kind not in ("S", "B", "SS", "NS", "BS"):
        return False
    if kind == "B":
        return b64decode(piece) in b64decode(content)
    return piece in content


def _all(terms: list[Predicate]) -> Predicate:
    if len(terms) == 2:
        first, second = terms
        return lambda item: first(item) and second(item)

    def every(item: Item) -> bool:
        return all(term(item) for term in terms)

    return every


def _any(terms: list[Predicate]) -> Predicate:
    if len(terms) == 2:
        first, second = terms
        return lambda item: first(item) or second(item)

    def some(item: Item) -> bool:
        return any(term(item) for term in terms)

    return some


def _negated(term: Predicate) -> Predicate:
    return lambda item: not term(item)


def _equality(left: Operand, right: Operand) -> Predicate:
    match left, right:
        case (Path((str(name),)), Constant(value)) | (Constant(value), Path((str(name),))) if (
            type_of(value) in _SCALARS
        ):
            # Scalars are canonical inside the engine, so dictionaries compare as the values do.
            return lambda item: item.get(name) == value
    first, second = getter(left), getter(right)

    def same(item: Item) -> bool:
        one, other = first(item), second(item)
        return one is not None and other is not None and equal(one, other)

    return same


def _ordering(sign: Callable[[int, int], bool], left: Getter, right: Getter) -> Predicate:
    def ordered(item: Item) -> bool:
        one, other = left(item), right(item)
        if one is None or other is None:
            return False
        rank = order(one, other)
        return rank is not None and sign(rank, 0)

    return ordered


def _between(operand: Getter, low: Getter, high: Getter) -> Predicate:
    at_least = _ordering(operator.ge, operand, low)
    at_most = _ordering(operator.le, operand, high)
    return lambda item: at_least(item) and at_most(item)


def _within(operand: Getter, choices: list[Getter]) -> Predicate:
    def within(item: Item) -> bool:
        value = operand(item)
        if value is None:
            return False
        for choice in choices:
            candidate = choice(item)
            if candidate is not None and equal(value, candidate):
                return True
        return False

    return within


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


def _has_type(operand: Getter, wanted: Getter) -> Predicate:
    def has_type(item: Item) -> bool:
        value, kind = operand(item), wanted(item)
        return value is not None and kind is not None and kind["S"] in value

    return has_type


def _both(test: Callable[[AttributeValue, AttributeValue], bool]) -> Callable[[Getter, Getter], Predicate]:
    def build(left: Getter, right: Getter) -> Predicate:
        def holds(item: Item) -> bool:
            one, other = left(item), right(item)
            return one is not None and other is not None and test(one, other)

        return holds

    return build


_FUNCTIONS: dict[str, Callable[..., Predicate]] = {
    "attribute_exists": _exists,
    "attribute_not_exists": _not_exists,
    "attribute_type": _has_type,
    "begins_with": _both(begins_with),
    "contains": _both(contains),
}
