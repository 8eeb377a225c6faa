"""Conditions on items: ConditionExpression, FilterExpression, and their legacy parameters."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from tablewright.dynamodb.expressions.clauses import (
    bind_condition,
    check_values,
    depends_on_values,
    operands_of,
)
from tablewright.dynamodb.expressions.condition_grammar import parse_condition
from tablewright.dynamodb.expressions.evaluation import NO_VALUES, compiled
from tablewright.dynamodb.expressions.nodes import And, Clause, ConditionNode, Not, Or, Path, paths_in
from tablewright.dynamodb.expressions.placeholders import Scope
from tablewright.dynamodb.expressions.prepared import prepared
from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.errors import ValidationError


def condition(text: str, scope: Scope, kind: str = "ConditionExpression") -> "Condition":
    """The condition of `text` with one request's placeholders; `kind` is the parameter named in error messages.

    >>> adult = condition("age >= :a", Scope(None, {":a": {"N": "18"}}))
    >>> adult.matches({"age": {"N": "40"}}), adult.matches(None)
    (True, False)
    """
    try:
        form = _prepared_form(kind)(text, scope)
    except ValidationError:
        # The first problem of the condition may be in the contents of a value.
        return bound_condition(text, scope, kind)
    values = scope.values
    for clause in form.checked:
        check_values(clause, values, kind)
    return Condition(form, values)


def bound_condition(text: str, scope: Scope, kind: str) -> "Condition":
    """The same, with a `Constant` for each value: for a condition whose nodes are read."""
    return Condition.of(bind_condition(parse_condition(text, kind), scope, kind))


class ConditionForm:
    """A checked condition, and the facts about it that depend on no item and no value."""

    __slots__ = ("attributes", "build", "checked", "nested_attributes", "node")

    def __init__(self, node: ConditionNode) -> None:
        self.node = node
        self.build = compiled(node)
        self.checked = tuple(filter(depends_on_values, clauses(node)))
        """The clauses whose values have to be checked for each request."""
        paths = list(_paths(node))
        self.attributes = tuple(dict.fromkeys(path.attribute for path in paths))
        self.nested_attributes = frozenset(path.attribute for path in paths if len(path.parts) > 1)


@cache
def _prepared_form(kind: str) -> Callable[[str, Scope], ConditionForm]:
    """The cached parser of one parameter's conditions: errors name the parameter."""
    return prepared(
        lambda text, scope: ConditionForm(bind_condition(parse_condition(text, kind), scope, kind))
    )


class Condition:
    """A condition that an item, or the absence of one, meets or does not meet."""

    __slots__ = ("_form", "_predicate")

    def __init__(self, form: ConditionForm, values: Mapping[str, AttributeValue] = NO_VALUES) -> None:
        self._form = form
        self._predicate = form.build(values)

    @classmethod
    def of(cls, node: ConditionNode) -> "Condition":
        """A condition that needs no values, from its checked nodes."""
        return cls(ConditionForm(node))

    def __repr__(self) -> str:
        return f"Condition({self.node!r})"

    @property
    def node(self) -> ConditionNode:
        """Its nodes; values of the request may be `Slot`s."""
        return self._form.node

    def matches(self, item: Item | None) -> bool:
        """Whether the condition holds; an item that does not exist has no attributes."""
        return self._predicate(item or {})

    @property
    def attributes(self) -> tuple[str, ...]:
        """The top-level attributes that it reads, in the order they appear."""
        return self._form.attributes

    @property
    def nested_attributes(self) -> frozenset[str]:
        """The top-level attributes of its nested paths; a key attribute, being scalar, may not be one."""
        return self._form.nested_attributes


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


def _paths(node: ConditionNode) -> Iterator[Path]:
    for clause in clauses(node):
        for operand in operands_of(clause):
            yield from paths_in(operand)
