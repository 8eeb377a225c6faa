"""The grammar of conditions: ConditionExpression, FilterExpression and KeyConditionExpression.

condition  = and-terms ("OR" and-terms)*
and-terms  = term ("AND" term)*
term       = "NOT"* ( clause | "(" condition ")" )
clause     = operand comparator operand
           | operand "BETWEEN" operand "AND" operand
           | operand "IN" "(" operand ("," operand)* ")"
           | function "(" operand ("," operand)* ")"
"""

from dataclasses import field
from functools import lru_cache

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.expressions.grammar import (
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
    Between,
    Call,
    Clause,
    Comparison,
    ConditionNode,
    Not,
    Operand,
    Or,
    Within,
)
from tablewright.dynamodb.expressions.tokens import COMPARATORS, END

PREDICATES = frozenset(
    {"attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains"}
)

_RANKING = (PARENTHESES, OPERATORS, FUNCTION, MISUSE, RESERVED, PATH)
_SIZE = frozenset({"size"})


@lru_cache(maxsize=4096)
def parse_condition(text: str, kind: str) -> ConditionNode:
    """The condition in `text`, placeholders unresolved.

    >>> parse_condition("a = :v", "FilterExpression")
    Comparison(operator='=', left=Path(parts=('a',)), right=Reference(name=':v'))
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
            term = Not(term) if self.negations % 2 else Not(Not(term))
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
        if not isinstance(operand, Call):
            self.unexpected()
        self.require_use(operand, PREDICATES)
        return operand

    def _comparison(self, left: Operand) -> Comparison:
        operator = self.token.kind
        self.position += 1
        return Comparison(operator, *self._values(left, self.operand()))

    def _between(self, operand: Operand) -> Between:
        self.position += 1
        low = self.operand()
        self.expect("AND")
        return Between(*self._values(operand, low, self.operand()))

    def _within(self, operand: Operand) -> Within:
        self.position += 1
        self.expect("(")
        choices = [self.operand()]
        while self.accept(","):
            choices.append(self.operand())
        self.expect(")")
        operand, *choices = self._values(operand, *choices)
        return Within(operand, tuple(choices))

    def _call(self, function: str, operands: tuple[Operand, ...]) -> Call:
        # size(size(x)) is rejected when bound; a longer chain is cut to two, so that binding does not recurse deeply.
        match operands:
            case (Call("size", (Call("size", (_,)) as inner,)),) if function == "size":
                return Call(function, (inner,))
        return super()._call(function, operands)

    def _values(self, *operands: Operand) -> tuple[Operand, ...]:
        """The operands of one operator, counted and checked for functions that return no value."""
        self.operator()
        for operand in operands:
            self.require_use(operand, _SIZE)
        return operands
