"""Random expressions: each is drawn together with the text that states it."""

from hypothesis import strategies as st

from tablewright.dynamodb.expressions.condition import PREDICATES, conjunction, disjunction
from tablewright.dynamodb.expressions.nodes import (
    BetweenNode,
    ComparisonNode,
    ConditionNode,
    FunctionCall,
    NotNode,
    Operand,
    Path,
    Reference,
    Within,
)

Stated = tuple[str, ConditionNode]
StatedOperand = tuple[str, Operand]

ATTRIBUTES = ("a", "b", "c", "deep")
VALUES = (":v", ":w", ":x")

_NAMES = st.sampled_from([*ATTRIBUTES, "#n", "#m"])
_TAILS = st.lists(_NAMES | st.integers(0, 3), max_size=2)


def paths() -> st.SearchStrategy[tuple[str, Path]]:
    """Document paths, with placeholders among their parts."""

    def stated(head: str, tail: list[str | int]) -> tuple[str, Path]:
        text = head + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in tail)
        return text, Path((head, *tail))

    return st.builds(stated, _NAMES, _TAILS)


def operands() -> st.SearchStrategy[StatedOperand]:
    """Paths, values and sizes, sometimes in parentheses."""
    plain: st.SearchStrategy[StatedOperand] = paths() | st.sampled_from(VALUES).map(
        lambda name: (name, Reference(name))
    )
    sized = plain.map(lambda stated: (f"size({stated[0]})", FunctionCall("size", (stated[1],))))
    return st.builds(lambda stated, wrap: _wrapped(stated, wrap), plain | sized, st.booleans())


def _wrapped(stated: StatedOperand, wrap: bool) -> StatedOperand:
    return (f"({stated[0]})", stated[1]) if wrap else stated


def clauses() -> st.SearchStrategy[Stated]:
    """Single conditions."""

    def compared(left: StatedOperand, sign: str, right: StatedOperand) -> Stated:
        return f"{left[0]} {sign} {right[0]}", ComparisonNode(sign, left[1], right[1])

    def between(operand: StatedOperand, low: StatedOperand, high: StatedOperand) -> Stated:
        return f"{operand[0]} BETWEEN {low[0]} AND {high[0]}", BetweenNode(operand[1], low[1], high[1])

    def within(operand: StatedOperand, choices: list[StatedOperand]) -> Stated:
        listed = ", ".join(text for text, _ in choices)
        return f"{operand[0]} IN ({listed})", Within(operand[1], tuple(node for _, node in choices))

    def called(function: str, arguments: list[StatedOperand]) -> Stated:
        listed = ",".join(text for text, _ in arguments)
        return f"{function}({listed})", FunctionCall(function, tuple(node for _, node in arguments))

    return st.one_of(
        st.builds(compared, operands(), st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), operands()),
        st.builds(between, operands(), operands(), operands()),
        st.builds(within, operands(), st.lists(operands(), min_size=1, max_size=3)),
        st.builds(called, st.sampled_from(sorted(PREDICATES)), st.lists(operands(), min_size=1, max_size=2)),
    )


def conditions() -> st.SearchStrategy[Stated]:
    """Whole conditions, of clauses joined and negated in any way."""

    def joined(terms: list[Stated], word: str) -> Stated:
        join = conjunction if word == "AND" else disjunction
        text = f" {word} ".join(f"({text})" for text, _ in terms)
        return text, join([node for _, node in terms])

    return st.recursive(
        clauses(),
        lambda inner: st.one_of(
            st.builds(joined, st.lists(inner, min_size=2, max_size=3), st.sampled_from(["AND", "OR"])),
            inner.map(lambda stated: (f"NOT ({stated[0]})", NotNode(stated[1]))),
        ),
        max_leaves=8,
    )
