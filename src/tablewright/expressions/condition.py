"""Conditions on items: ConditionExpression, FilterExpression, and their legacy parameters."""

from collections.abc import Iterator
from functools import lru_cache

from tablewright.expressions.clauses import bind_condition, operands_of
from tablewright.expressions.condition_grammar import parse_condition
from tablewright.expressions.evaluation import predicate
from tablewright.expressions.nodes import (
    And,
    Call,
    Clause,
    ConditionNode,
    Not,
    Operand,
    Or,
    Path,
    Reference,
    paths_in,
)
from tablewright.expressions.placeholders import Scope
from tablewright.values.attributes import Item


def condition(text: str, scope: Scope, kind: str = "ConditionExpression") -> "Condition":
    """The condition of `text` with one request's placeholders; `kind` is the parameter named in error messages.

    >>> adult = condition("age >= :a", Scope(None, {":a": {"N": "18"}}))
    >>> adult.matches({"age": {"N": "40"}}), adult.matches(None)
    (True, False)
    """
    closed = _closed_condition(text, kind)
    return closed or Condition(bind_condition(parse_condition(text, kind), scope, kind))


@lru_cache(maxsize=1024)
def _closed_condition(text: str, kind: str) -> "Condition | None":
    """The condition, if it needs no placeholders, such as the frequent `attribute_not_exists(pk)`; else None."""
    node = parse_condition(text, kind)
    return None if has_placeholders(node) else Condition(bind_condition(node, Scope(), kind))


class Condition:
    """A condition that an item, or the absence of one, meets or does not meet."""

    __slots__ = ("_predicate", "node")

    def __init__(self, node: ConditionNode) -> None:
        self.node = node
        self._predicate = predicate(node)

    def __repr__(self) -> str:
        return f"Condition({self.node!r})"

    def matches(self, item: Item | None) -> bool:
        """Whether the condition holds; an item that does not exist has no attributes."""
        return self._predicate(item or {})

    @property
    def attributes(self) -> tuple[str, ...]:
        """The top-level attributes that it reads, in the order they appear."""
        return tuple(dict.fromkeys(path.attribute for path in _paths(self.node)))

    @property
    def nested_attributes(self) -> frozenset[str]:
        """The top-level attributes of its nested paths; a key attribute, being scalar, may not be one."""
        return frozenset(path.attribute for path in _paths(self.node) if len(path.parts) > 1)


def clauses(node: ConditionNode) -> Iterator[Clause]:
    """The clauses of a condition, from left to right."""
    match node:
        case And(terms) | Or(terms):
            for term in terms:
                yield from clauses(term)
        case Not(term):
            yield from clauses(term)
        case _:
            yield node


def has_placeholders(node: ConditionNode) -> bool:
    """Whether a parsed condition contains placeholders."""
    return any(_is_open(operand) for clause in clauses(node) for operand in operands_of(clause))


def _is_open(operand: Operand) -> bool:
    if isinstance(operand, Call):
        return any(map(_is_open, operand.operands))
    return isinstance(operand, Reference) or (isinstance(operand, Path) and operand.has_placeholders)


def _paths(node: ConditionNode) -> Iterator[Path]:
    for clause in clauses(node):
        for operand in operands_of(clause):
            yield from paths_in(operand)
