"""Syntax nodes of expressions as text: parsing the text gives equal nodes."""

from itertools import groupby

from tablewright.dynamodb.expressions.nodes import (
    Action,
    AddToValue,
    And,
    Arithmetic,
    Assign,
    BetweenNode,
    ComparisonNode,
    ConditionNode,
    DeleteFromSet,
    FunctionCall,
    NotNode,
    Operand,
    Or,
    Path,
    Reference,
    RemovePath,
    Within,
)

_SECTIONS = {Assign: "SET", RemovePath: "REMOVE", AddToValue: "ADD", DeleteFromSet: "DELETE"}


def condition_text(node: ConditionNode) -> str:
    """The text of a condition, with as few parentheses as possible."""
    match node:
        case And(terms):
            return " AND ".join(_grouped(term, Or) for term in terms)
        case Or(terms):
            return " OR ".join(map(condition_text, terms))
        case NotNode(term):
            # The parser joins NOTs without parentheses between them.
            return f"NOT {_grouped(term, And, Or, NotNode)}"
        case ComparisonNode(operator, left, right):
            return f"{operand_text(left)} {operator} {operand_text(right)}"
        case BetweenNode(operand, low, high):
            return f"{operand_text(operand)} BETWEEN {operand_text(low)} AND {operand_text(high)}"
        case Within(operand, choices):
            return f"{operand_text(operand)} IN ({', '.join(map(operand_text, choices))})"
        case FunctionCall():
            return operand_text(node)


def _grouped(node: ConditionNode, *kinds: type) -> str:
    text = condition_text(node)
    return f"({text})" if isinstance(node, kinds) else text


def operand_text(operand: Operand) -> str:
    """The text of an operand."""
    match operand:
        case Path():
            return path_text(operand)
        case Reference(name):
            return name
        case FunctionCall(function, operands):
            return f"{function}({', '.join(map(operand_text, operands))})"
        case Arithmetic(operator, left, right):
            return f"{operand_text(left)} {operator} {operand_text(right)}"
        case _:
            raise AssertionError(f"not parsed: {operand}")


def path_text(path: Path) -> str:
    """The text of a document path."""
    first, *rest = path.parts
    return str(first) + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest)


def update_text(actions: tuple[Action, ...]) -> str:
    """The text of an update."""
    sections = groupby(actions, type)
    return " ".join(f"{_SECTIONS[kind]} {', '.join(map(_action_text, group))}" for kind, group in sections)


def _action_text(action: Action) -> str:
    path = path_text(action.path)
    match action:
        case Assign(_, value):
            return f"{path} = {operand_text(value)}"
        case RemovePath():
            return path
        case AddToValue(_, value) | DeleteFromSet(_, value):
            return f"{path} {operand_text(value)}"


def projection_text(paths: tuple[Path, ...]) -> str:
    """The text of a projection."""
    return ", ".join(map(path_text, paths))
