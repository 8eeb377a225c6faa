"""Bound conditions and operands, compiled to closures: built once for a request, called once for an item.

Compiling has two steps, because a prepared condition (see `placeholders`) is used by many requests. `compiled` looks at
the nodes, once for a text; its result takes the values of a request and returns the function of an item.

A missing attribute is None. It is equal to nothing, unequal to everything, and has no order, size, prefix or
content; the same is true between values of different types.
"""

import operator
from base64 import b64decode
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from tablewright.dynamodb.expressions.nodes import (
    And,
    BetweenNode,
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
from tablewright.dynamodb.values.attributes import AttributeValue, Item, equal, order
from tablewright.dynamodb.values.numbers import number

Values: TypeAlias = Mapping[str, AttributeValue]
"""The values of a request, by placeholder."""
Getter: TypeAlias = Callable[[Item], AttributeValue | None]
Predicate: TypeAlias = Callable[[Item], bool]
Sign: TypeAlias = Callable[[Any, Any], bool]
OpenGetter: TypeAlias = Callable[[Values], Getter]
OpenPredicate: TypeAlias = Callable[[Values], Predicate]

NO_VALUES: Values = MappingProxyType({})
_SIGNS: dict[str, Sign] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_SCALARS = frozenset({"S", "N", "B", "BOOL", "NULL"})
_RANKS: dict[str, Callable[[str], Any]] = {"S": str, "N": number, "B": b64decode}


def compiled(node: ConditionNode) -> OpenPredicate:
    """A condition as a function of a request's values; it returns a function of the item."""
    if isinstance(node, ComparisonNode):
        return _comparison(node.operator, node.left, node.right)
    if isinstance(node, FunctionCall):
        return _called(_FUNCTIONS[node.function], node.operands)
    if isinstance(node, And):
        return _joined(_all, node.terms)
    if isinstance(node, Or):
        return _joined(_any, node.terms)
    if isinstance(node, NotNode):
        term = compiled(node.term)
        return lambda values: _negated(term(values))
    if isinstance(node, BetweenNode):
        at_least = _ordering(operator.ge, node.operand, node.low)
        at_most = _ordering(operator.le, node.operand, node.high)
        return lambda values: _all([at_least(values), at_most(values)])
    return _within(node)


def predicate(node: ConditionNode) -> Predicate:
    """A condition without slots as a function of the item."""
    return compiled(node)(NO_VALUES)


def getter(operand: Operand) -> OpenGetter:
    """An operand as a function of a request's values; it returns a function of the item.

    The latter returns None when there is no such value.
    """
    if isinstance(operand, Slot):
        slot = operand.name
        return lambda values: _constant(values[slot])
    fixed = _fixed_getter(operand)
    if fixed is not None:
        return lambda values: fixed
    assert isinstance(operand, FunctionCall), f"not an operand of a condition: {operand}"
    inner = getter(operand.operands[0])
    return lambda values: _size(inner(values))


def _fixed_getter(operand: Operand) -> Getter | None:
    """The function of an operand that is the same for all requests, or None."""
    if isinstance(operand, Constant):
        return _constant(operand.value)
    if isinstance(operand, Path):
        parts = operand.parts
        if len(parts) > 1:
            return lambda item: value_at(item, parts)
        name = operand.attribute
        return lambda item: item.get(name)
    return None


def _constant(value: AttributeValue) -> Getter:
    return lambda item: value


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


def _joined(join: Callable[[list[Predicate]], Predicate], nodes: tuple[ConditionNode, ...]) -> OpenPredicate:
    terms = [compiled(node) for node in nodes]
    return lambda values: join([term(values) for term in terms])


def _called(function: Callable[..., Predicate], operands: tuple[Operand, ...]) -> OpenPredicate:
    getters = [getter(operand) for operand in operands]
    if not any(isinstance(operand, Slot | FunctionCall) for operand in operands):
        fixed = function(*[get(NO_VALUES) for get in getters])
        return lambda values: fixed
    return lambda values: function(*[get(values) for get in getters])


def _comparison(sign: str, left: Operand, right: Operand) -> OpenPredicate:
    if sign == "=":
        return _equality(left, right)
    if sign == "<>":
        equality = _equality(left, right)
        return lambda values: _negated(equality(values))
    return _ordering(_SIGNS[sign], left, right)


def _equality(left: Operand, right: Operand) -> OpenPredicate:
    first, second = getter(left), getter(right)
    if known_type(right) in _SCALARS:
        # Scalars are canonical inside the engine, so equal values are equal dictionaries.
        return lambda values: _equality_to(first(values), _value(right, values))

    def build(values: Values) -> Predicate:
        one_of, other_of = first(values), second(values)

        def same(item: Item) -> bool:
            one, other = one_of(item), other_of(item)
            return one is not None and other is not None and equal(one, other)

        return same

    return build


def _equality_to(operand: Getter, expected: AttributeValue) -> Predicate:
    return lambda item: operand(item) == expected


def _value(operand: Operand, values: Values) -> AttributeValue:
    """The value of an operand that does not depend on the item."""
    if isinstance(operand, Slot):
        return values[operand.name]
    assert isinstance(operand, Constant)
    return operand.value


def _ordering(sign: Sign, left: Operand, right: Operand) -> OpenPredicate:
    first, second = getter(left), getter(right)
    if isinstance(right, Constant | Slot):
        return lambda values: _ordering_to(sign, first(values), _value(right, values))

    def build(values: Values) -> Predicate:
        one_of, other_of = first(values), second(values)

        def ordered(item: Item) -> bool:
            one, other = one_of(item), other_of(item)
            if one is None or other is None:
                return False
            rank = order(one, other)
            return rank is not None and sign(rank, 0)

        return ordered

    return build


def _ordering_to(sign: Sign, operand: Getter, bound: AttributeValue) -> Predicate:
    """A comparison with a value from the request: the most frequent test of a filter over thousands of items."""
    ((kind, content),) = bound.items()
    rank = _RANKS[kind]
    limit = rank(content)

    def ordered(item: Item) -> bool:
        value = operand(item)
        if value is None:
            return False
        content = value.get(kind)
        return content is not None and sign(rank(content), limit)

    return ordered


def _within(node: Within) -> OpenPredicate:
    operand_of = getter(node.operand)
    scalars = [choice for choice in node.choices if known_type(choice) in _SCALARS]
    others_of = [getter(choice) for choice in node.choices if known_type(choice) not in _SCALARS]

    def build(values: Values) -> Predicate:
        operand = operand_of(values)
        # Two pairs of type and content are equal exactly when the scalars are.
        known = {next(iter(_value(choice, values).items())) for choice in scalars}
        others = [get(values) for get in others_of]

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

    return build


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
