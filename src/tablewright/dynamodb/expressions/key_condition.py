"""Key conditions: the partition that a Query reads, and the range in it.

A parsed key condition only has attribute names. `match` checks it against a key schema and returns a `KeyRange`, or
raises AWS's error when it does not fit.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, NoReturn, TypeAlias

from tablewright.dynamodb.expressions.clauses import bind_condition, operands_of, operator_of
from tablewright.dynamodb.expressions.condition import clauses, parse_condition
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
    Or,
    Path,
    Slot,
)
from tablewright.dynamodb.expressions.placeholders import Scope, prepared
from tablewright.dynamodb.values.attributes import AttributeValue, type_of
from tablewright.errors import ValidationError

BETWEEN = "BETWEEN"
BEGINS_WITH = "begins_with"

_KIND = "KeyConditionExpression"
_INDEXABLE = frozenset({"=", "<", "<=", ">", ">=", BETWEEN, BEGINS_WITH})
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NOT_SUPPORTED = "Query key condition not supported"
_EMPTY = {"S": "string", "B": "binary"}


class KeyTest(NamedTuple):
    """The test of one key attribute."""

    operator: str
    operands: tuple[AttributeValue, ...]


KeyTests: TypeAlias = Mapping[str, KeyTest]
OpenTests: TypeAlias = Mapping[str, tuple[str, tuple[Constant | Slot, ...]]]
"""Operators and operands by attribute, before values are filled in."""


class KeyRange(NamedTuple):
    """One partition, and the part of it to read.

    `prefix` holds the values that the leading range attributes equal; `operator` and `operands`, when there is
    an operator, limit the next range attribute.
    """

    hash_values: tuple[AttributeValue, ...]
    prefix: tuple[AttributeValue, ...] = ()
    operator: str | None = None
    operands: tuple[AttributeValue, ...] = ()


def key_condition(text: str, scope: Scope) -> "KeyCondition":
    """The key condition of `text` with one request's placeholders.

    >>> values = {":p": {"S": "x"}, ":n": {"N": "3"}}
    >>> key_condition("n > :n AND p = :p", Scope(None, values)).match(["p"], ["n"], {"p": "S", "n": "N"})
    KeyRange(hash_values=({'S': 'x'},), prefix=(), operator='>', operands=({'N': '3'},))
    """
    tests = _prepared_tests(text, scope)
    if tests is not None:
        return KeyCondition(lambda: _filled(tests, scope.values))
    node = bind_condition(parse_condition(text, _KIND), scope, _KIND)
    return KeyCondition(lambda: _filled(_tests_in(node), scope.values))


@prepared
def _prepared_tests(text: str, scope: Scope) -> OpenTests | None:
    """The tests of `text`, or None when it must be bound first: for the contents of its values, or for its errors.

    Comparisons and begins_with check only the types of values; BETWEEN compares its bounds.
    """
    node = parse_condition(text, _KIND)
    if not all(
        isinstance(clause, ComparisonNode) or operator_of(clause) == BEGINS_WITH for clause in clauses(node)
    ):
        return None
    node = bind_condition(node, scope, _KIND)
    try:
        return _tests_in(node)
    except ValidationError:
        return None


def _filled(tests: OpenTests, values: Mapping[str, AttributeValue]) -> KeyTests:
    return {
        name: KeyTest(operator, tuple([_value_of(operand, values) for operand in operands]))
        for name, (operator, operands) in tests.items()
    }


def _value_of(operand: Constant | Slot, values: Mapping[str, AttributeValue]) -> AttributeValue:
    return operand.value if isinstance(operand, Constant) else values[operand.name]


class KeyCondition:
    """Tests of attributes by name. They are parsed late: AWS checks the other expressions first."""

    def __init__(self, read: Callable[[], KeyTests]) -> None:
        self._read = read
        self._tests: KeyTests | None = None

    @property
    def tests(self) -> KeyTests:
        """One test for each attribute; raises for what a key condition may not contain."""
        if self._tests is None:
            self._tests = self._read()
        return self._tests

    def match(
        self, hash_names: Sequence[str], range_names: Sequence[str], types: Mapping[str, str]
    ) -> KeyRange:
        """The range that the condition selects in a table or index with this key schema."""
        if len(hash_names) == 1 and len(range_names) < 2:
            self._require_simple_key(hash_names[0], range_names, types)
        else:
            self._require_composite_key(hash_names, range_names, types)
        tests = self.tests
        hash_values = tuple([tests[name].operands[0] for name in hash_names])
        prefix: tuple[AttributeValue, ...] = ()
        for name in range_names:
            test = tests.get(name)
            if test is None:
                break
            if test.operator != "=":
                return KeyRange(hash_values, prefix, test.operator, test.operands)
            prefix += test.operands
        return KeyRange(hash_values, prefix)

    def _require_simple_key(
        self, hash_name: str, range_names: Sequence[str], types: Mapping[str, str]
    ) -> None:
        tests = self.tests
        count = len(tests)
        if not count:
            raise ValidationError("Conditions can be of length 1 or 2 only")
        if count > 2:
            raise ValidationError(
                f"The number of query conditions ({count}) exceeds the number of key attributes "
                f"defined in the schema ({1 + len(range_names)})"
            )
        if count > 1 and not range_names:
            raise ValidationError(_NOT_SUPPORTED)
        for name in (hash_name, *range_names):
            test = tests.get(name)
            if test is None:
                if name == hash_name or count > 1:
                    raise ValidationError(f"Query condition missed key schema element: {name}")
                continue
            _require_fit(name, test, types[name])
            if name == hash_name and test.operator != "=":
                raise ValidationError(_NOT_SUPPORTED)

    def _require_composite_key(
        self, hash_names: Sequence[str], range_names: Sequence[str], types: Mapping[str, str]
    ) -> None:
        if loose := self._without_equality(hash_names):
            raise ValidationError(
                f"HASH key attributes {', '.join(loose)} must have equality conditions specified in the query"
            )
        for name, test in self.tests.items():
            if name not in hash_names and name not in range_names:
                raise ValidationError(_NOT_SUPPORTED)
            _require_fit(name, test, types[name])
        for position, name in enumerate(range_names):
            if name in self.tests and (loose := self._without_equality(range_names[:position])):
                raise ValidationError(
                    f"RANGE key attributes {', '.join(loose)} must have equality conditions specified "
                    f"in the query because a condition is present on key attribute {name}"
                )

    def _without_equality(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name not in self.tests or self.tests[name].operator != "="]


def _require_fit(name: str, test: KeyTest, kind: str) -> None:
    if test.operator not in _INDEXABLE:
        raise ValidationError("Attempted conditional constraint is not an indexable operation")
    for value in test.operands:
        if type_of(value) != kind:
            raise ValidationError(
                "One or more parameter values were invalid: "
                "Condition parameter type does not match schema type"
            )
        if not value[kind] and kind in _EMPTY:
            raise ValidationError(
                "One or more parameter values are not valid. The AttributeValue for a key attribute "
                f"cannot contain an empty {_EMPTY[kind]} value. Key: {name}"
            )


def _tests_in(node: ConditionNode) -> OpenTests:
    tests: dict[str, tuple[str, tuple[Constant | Slot, ...]]] = {}
    for clause in _conjuncts(node):
        name, operator, operands = _test_in(clause)
        if name in tests:
            raise invalid(_KIND, "KeyConditionExpressions must only contain one condition per key")
        tests[name] = operator, operands
    return tests


def _conjuncts(node: ConditionNode) -> Iterable[Clause]:
    if isinstance(node, And):
        for term in node.terms:
            yield from _conjuncts(term)
    elif isinstance(node, Or):
        _reject_operator("OR")
    elif isinstance(node, NotNode):
        _reject_operator("NOT")
    elif operator_of(node) not in _INDEXABLE:
        _reject_operator(operator_of(node))
    else:
        yield node


def _reject_operator(operator: str) -> NoReturn:
    raise ValidationError(f"Invalid operator used in KeyConditionExpression: {operator}")


def _test_in(clause: Clause) -> tuple[str, str, tuple[Constant | Slot, ...]]:
    operands = operands_of(clause)
    operator = operator_of(clause)
    if isinstance(clause, BetweenNode | FunctionCall) and not isinstance(operands[0], Path):
        _reject_condition(f"{operator} operator must have the key attribute as its first operand")
    path = None
    values = []
    for operand in operands:
        if isinstance(operand, Constant | Slot):
            values.append(operand)
        elif not isinstance(operand, Path):
            raise ValidationError("KeyConditionExpressions cannot contain nested operations")
        elif path is not None:
            _reject_condition("Multiple attribute names used in one condition")
        elif len(operand.parts) > 1:
            raise ValidationError("KeyConditionExpressions cannot have conditions on nested attributes")
        else:
            path = operand
    if path is None:
        _reject_condition("No key attribute specified")
    if operands[0] is not path:
        operator = _MIRRORED[operator]
    return path.attribute, operator, tuple(values)


def _reject_condition(message: str) -> NoReturn:
    raise ValidationError(f"Invalid condition in KeyConditionExpression: {message}")
