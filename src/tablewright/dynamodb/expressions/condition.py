"""Conditions on items: ConditionExpression, FilterExpression, and their legacy parameters.

The grammar of conditions: ConditionExpression, FilterExpression and KeyConditionExpression.

condition  = and-terms ("OR" and-terms)*
and-terms  = term ("AND" term)*
term       = "NOT"* ( clause | "(" condition ")" )
clause     = operand comparator operand
           | operand "BETWEEN" operand "AND" operand
           | operand "IN" "(" operand ("," operand)* ")"
           | function "(" operand ("," operand)* ")"
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cache, lru_cache

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.expressions.clauses import (
    bind_condition,
    check_values,
    depends_on_values,
    operands_of,
)
from tablewright.dynamodb.expressions.evaluation import NO_VALUES, compiled
from tablewright.dynamodb.expressions.grammar import (
    COMPARATORS,
    END,
    FUNCTION,
    MISUSE,
    OPERATORS,
    PARENTHESES,
    PATH,
    RESERVED,
    Reader,
)
from tablewright.dynamodb.expressions.nodes import (
    And,
    BetweenNode,
    Clause,
    ComparisonNode,
    ConditionNode,
    FunctionCall,
    NotNode,
    Operand,
    Or,
    Path,
    Within,
    paths_in,
)
from tablewright.dynamodb.expressions.placeholders import Scope, prepared
from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.errors import ValidationError

PREDICATES = frozenset(
    {"attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains"}
)

_RANKING = (PARENTHESES, OPERATORS, FUNCTION, MISUSE, RESERVED, PATH)
_SIZE = frozenset({"size"})


@lru_cache(maxsize=4096)
def parse_condition(text: str, kind: str) -> ConditionNode:
    """The condition in `text`, placeholders unresolved.

    >>> parse_condition("a = :v", "FilterExpression")
    ComparisonNode(operator='=', left=Path(parts=('a',)), right=Reference(name=':v'))
    """
    reader = _ConditionReader(text, kind)
    node = reader.condition()
    reader.settle(_RANKING)
    return node


def conjunction(terms: list[ConditionNode]) -> ConditionNode:
    """The AND of `terms`; terms that are ANDs themselves are flattened."""
    if len(terms) == 1:
        return terms[0]
    return And(tuple(part for term in terms for part in (term.terms if isinstance(term, And) else (term,))))


def disjunction(terms: list[ConditionNode]) -> ConditionNode:
    """The OR of `terms`; terms that are ORs themselves are flattened."""
    if len(terms) == 1:
        return terms[0]
    return Or(tuple(part for term in terms for part in (term.terms if isinstance(term, Or) else (term,))))


@dataclass(slots=True)
class _Group:
    """A condition while it is parsed: the whole one, or one in parentheses."""

    alternatives: list[list[ConditionNode]] = field(default_factory=lambda: [[]])
    negations: int = 0
    wraps_only_a_group: bool = False

    def add(self, term: ConditionNode, *, grouped: bool) -> None:
        self.wraps_only_a_group = grouped and not self.negations and self.alternatives == [[]]
        if self.negations:
            # An even number of NOTs is kept as two: KeyConditionExpression rejects every NOT.
            term = NotNode(term) if self.negations % 2 else NotNode(NotNode(term))
            self.negations = 0
        self.alternatives[-1].append(term)

    def node(self) -> ConditionNode:
        return disjunction([conjunction(terms) for terms in self.alternatives])


class _ConditionReader(Reader):
    keywords = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN"})
    nestable = _SIZE
    grouped_paths = True

    def condition(self) -> ConditionNode:
        groups = [_Group()]
        while True:
            if self.accept("NOT"):
                self.operator()
                groups[-1].negations += 1
            elif self.at_group():
                self.position += 1
                groups.append(_Group())
            else:
                groups[-1].add(self._clause(), grouped=False)
                self._close_groups(groups)
                if not self._connects(groups[-1]):
                    return groups[0].node()

    def _close_groups(self, groups: list[_Group]) -> None:
        while len(groups) > 1 and self.accept(")"):
            group = groups.pop()
            if group.wraps_only_a_group:
                self.redundant()
            groups[-1].add(group.node(), grouped=True)
        if len(groups) > 1 and self.at(END):
            self.unexpected()

    def _connects(self, group: _Group) -> bool:
        if self.accept("OR"):
            group.alternatives.append([])
        elif not self.accept("AND"):
            if not self.at(END):
                self.unexpected()
            return False
        self.operator()
        group.wraps_only_a_group = False
        return True

    def _clause(self) -> Clause:
        operand = self.operand()
        if self.token.kind in COMPARATORS:
            return self._comparison(operand)
        if self.at("BETWEEN"):
            return self._between(operand)
        if self.at("IN"):
            return self._within(operand)
        if not isinstance(operand, FunctionCall):
            self.unexpected()
        self.require_use(operand, PREDICATES)
        return operand

    def _comparison(self, left: Operand) -> ComparisonNode:
        operator = self.token.kind
        self.position += 1
        return ComparisonNode(operator, *self._values(left, self.operand()))

    def _between(self, operand: Operand) -> BetweenNode:
        self.position += 1
        low = self.operand()
        self.expect("AND")
        return BetweenNode(*self._values(operand, low, self.operand()))

    def _within(self, operand: Operand) -> Within:
        self.position += 1
        self.expect("(")
        choices = [self.operand()]
        while self.accept(","):
            choices.append(self.operand())
        self.expect(")")
        operand, *choices = self._values(operand, *choices)
        return Within(operand, tuple(choices))

    def _call(self, function: str, operands: tuple[Operand, ...]) -> FunctionCall:
        # size(size(x)) is rejected when bound; a longer chain is cut to two, so that binding does not recurse deeply.
        match operands:
            case (FunctionCall("size", (FunctionCall("size", (_,)) as inner,)),) if function == "size":
                return FunctionCall(function, (inner,))
        return super()._call(function, operands)

    def _values(self, *operands: Operand) -> tuple[Operand, ...]:
        """The operands of one operator, counted and checked for functions that return no value."""
        self.operator()
        for operand in operands:
            self.require_use(operand, _SIZE)
        return operands


def condition(text: str, scope: Scope, kind: str = "ConditionExpression") -> "ItemCondition":
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
    return ItemCondition(form, values)


def bound_condition(text: str, scope: Scope, kind: str) -> "ItemCondition":
    """The same, with a `Constant` for each value: for a condition whose nodes are read."""
    return ItemCondition.of(bind_condition(parse_condition(text, kind), scope, kind))


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


class ItemCondition:
    """A condition that an item, or the absence of one, meets or does not meet."""

    __slots__ = ("_form", "_predicate")

    def __init__(self, form: ConditionForm, values: Mapping[str, AttributeValue] = NO_VALUES) -> None:
        self._form = form
        self._predicate = form.build(values)

    @classmethod
    def of(cls, node: ConditionNode) -> "ItemCondition":
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
        case NotNode(term):
            yield from clauses(term)
        case _:
            yield node


def _paths(node: ConditionNode) -> Iterator[Path]:
    for clause in clauses(node):
        for operand in operands_of(clause):
            yield from paths_in(operand)
