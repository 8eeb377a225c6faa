"""The keys in a WHERE clause: the one item that it names, or the key ranges that it selects.

A read is keyed when every way to meet its condition fixes the hash key with `=` or IN. It is then divided into
branches, one for each combination of key values, each a range of one partition. An OR without key attributes is
not a choice between ranges: it stays one filter.
"""

from collections.abc import Iterator
from dataclasses import field
from itertools import product
from math import prod

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.expressions.clauses import operands_of, operator_of
from tablewright.dynamodb.expressions.condition import ItemCondition
from tablewright.dynamodb.expressions.key_condition import BEGINS_WITH, BETWEEN, KeyTest
from tablewright.dynamodb.expressions.nodes import (
    And,
    Clause,
    ComparisonNode,
    ConditionNode,
    Constant,
    Or,
    Path,
)
from tablewright.dynamodb.values.attributes import AttributeValue
from tablewright.errors import ValidationError

MAX_READS = 50
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_PINNING = frozenset({"=", "IN"})
_RANGED = frozenset({"=", "<", "<=", ">", ">=", BETWEEN, BEGINS_WITH})


@dataclass(frozen=True, slots=True)
class Branch:
    """One way to meet a condition."""

    hash_values: tuple[AttributeValue, ...] = ()
    range_tests: tuple[KeyTest, ...] = ()
    filters: tuple[ConditionNode, ...] = ()

    def joined(self, other: "Branch") -> "Branch":
        """The branch that meets both conditions."""
        return Branch(
            self.hash_values + other.hash_values,
            self.range_tests + other.range_tests,
            self.filters + other.filters,
        )

    @property
    def filtered(self) -> tuple[str, ...]:
        """The attributes that its filters read, in order."""
        names = (name for node in self.filters for name in ItemCondition.of(node).attributes)
        return tuple(dict.fromkeys(names))


def conjuncts(node: ConditionNode | None) -> Iterator[ConditionNode]:
    """The conditions that must all hold."""
    match node:
        case None:
            return
        case And(terms):
            for term in terms:
                yield from conjuncts(term)
        case _:
            yield node


def key_test(node: ConditionNode, name: str) -> KeyTest | None:
    """The test of attribute `name` against constants in a clause; None if the clause is no such test.

    >>> key_test(ComparisonNode("<", Constant({"N": "1"}), Path(("n",))), "n")
    KeyTest(operator='>', operands=({'N': '1'},))
    """
    if not isinstance(node, Clause):
        return None
    first, *others = operands_of(node)
    operator = operator_of(node)
    if isinstance(node, ComparisonNode) and isinstance(first, Constant) and operator in _MIRRORED:
        first, others, operator = others[0], [first], _MIRRORED[operator]
    if first != Path((name,)):
        return None
    values = tuple([operand.value for operand in others if isinstance(operand, Constant)])
    return KeyTest(operator, values) if len(values) == len(others) else None


@dataclass(slots=True)
class PinnedKey:
    """The values that a condition sets for key attributes by `=`, and the rest of the condition."""

    values: dict[str, list[AttributeValue]] = field(default_factory=dict)
    rest: list[ConditionNode] = field(default_factory=list)

    @property
    def key(self) -> dict[str, AttributeValue]:
        """The first value of each attribute."""
        return {name: values[0] for name, values in self.values.items()}

    @property
    def ambiguous(self) -> str | None:
        """The first attribute with two different values, or None."""
        return next((name for name, values in self.values.items() if len(values) > 1), None)


def pinned_key(where: ConditionNode | None, names: tuple[str, ...]) -> PinnedKey:
    """The key that a condition fixes."""
    pinned = PinnedKey()
    for term in conjuncts(where):
        for name in names:
            test = key_test(term, name)
            if test is not None and test.operator == "=":
                values = pinned.values.setdefault(name, [])
                if test.operands[0] not in values:
                    values.append(test.operands[0])
                break
        else:
            pinned.rest.append(term)
    return pinned


@dataclass(frozen=True, slots=True)
class KeyReader:
    """Finds the key ranges of conditions for one table or index."""

    hash: str
    range: str | None

    def branches(self, where: ConditionNode | None) -> tuple[Branch, ...] | None:
        """The branches of a condition; None if it is not keyed."""
        if where is None or not self._is_keyed(where):
            return None
        if self._count(where) > MAX_READS:
            raise ValidationError("Too many decomposed read operations for a given query.")
        return tuple(self._branches(where))

    def _is_keyed(self, node: ConditionNode) -> bool:
        match node:
            case And(terms):
                return any(map(self._is_keyed, terms))
            case Or(terms):
                return bool(terms) and all(map(self._is_keyed, terms))
            case _:
                test = key_test(node, self.hash)
                return test is not None and test.operator in _PINNING

    def _count(self, node: ConditionNode) -> int:
        match node:
            case And(terms):
                return prod(map(self._count, terms))
            case Or(terms) if self._speaks_of_keys(node):
                return sum(map(self._count, terms))
            case _:
                return len(self._choices(node))

    def _branches(self, node: ConditionNode) -> Iterator[Branch]:
        match node:
            case And(terms):
                for combination in product(*[list(self._branches(term)) for term in terms]):
                    yield _all_of(combination)
            case Or(terms) if self._speaks_of_keys(node):
                for term in terms:
                    yield from self._branches(term)
            case _:
                yield from self._choices(node)

    def _choices(self, node: ConditionNode) -> list[Branch]:
        """The branches of a node that is neither AND nor OR: more than one only for IN."""
        test = key_test(node, self.hash)
        if test is not None and test.operator in _PINNING:
            return [Branch(hash_values=(value,)) for value in test.operands]
        test = None if self.range is None else key_test(node, self.range)
        if test is not None and test.operator == "IN":
            return [Branch(range_tests=(KeyTest("=", (value,)),)) for value in test.operands]
        if test is not None and test.operator in _RANGED:
            return [Branch(range_tests=(test,))]
        return [Branch(filters=(node,))]

    def _speaks_of_keys(self, node: ConditionNode) -> bool:
        return bool({self.hash, self.range} & set(ItemCondition.of(node).attributes))


def _all_of(branches: tuple[Branch, ...]) -> Branch:
    whole = Branch()
    for branch in branches:
        whole = whole.joined(branch)
    return whole
