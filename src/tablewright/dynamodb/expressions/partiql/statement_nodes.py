"""The syntax of statements: frozen nodes with their positions, not checked yet.

AND and OR have any number of operands, so that a long chain of them is not a deep tree.
"""

from typing import TypeAlias

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.expressions.partiql.statement_tokens import TextSpan


@dataclass(frozen=True, slots=True)
class Name:
    """A bare or quoted name."""

    text: str
    span: TextSpan


@dataclass(frozen=True, slots=True)
class Literal:
    """A string, number, boolean or null; `kind` is its DynamoDB type, `text` its source text."""

    kind: str
    text: str
    span: TextSpan


@dataclass(frozen=True, slots=True)
class Missing:
    """The literal MISSING."""

    span: TextSpan


@dataclass(frozen=True, slots=True)
class Ion:
    """An Ion value between backticks, which DynamoDB does not support."""

    text: str
    span: TextSpan


@dataclass(frozen=True, slots=True)
class ParameterNode:
    """A `?`, numbered from 0."""

    number: int
    span: TextSpan


@dataclass(frozen=True, slots=True)
class Collection:
    """A list `[...]` or a bag `<<...>>`."""

    kind: str
    members: tuple["Node", ...]
    span: TextSpan


@dataclass(frozen=True, slots=True)
class Struct:
    """`{key: value, ...}`."""

    members: tuple[tuple["Node", "Node"], ...]
    span: TextSpan


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: `.name`, `[node]`, or a wildcard, which is `.*` or `[*]`."""

    content: "Name | Node | None"
    bracketed: bool
    span: TextSpan


@dataclass(frozen=True, slots=True)
class Access:
    """A path: `root.name[0]`."""

    root: "Node"
    steps: tuple[Step, ...]
    span: TextSpan


@dataclass(frozen=True, slots=True)
class CallNode:
    """A function, its name in lower case, and its arguments; `star` for COUNT(*)."""

    function: str
    arguments: tuple["Node", ...]
    span: TextSpan
    star: bool = False


@dataclass(frozen=True, slots=True)
class OperationNode:
    """An operator and its operands: one for a prefix, two for most, three for BETWEEN, more for AND and OR."""

    operator: str
    operands: tuple["Node", ...]
    span: TextSpan


@dataclass(frozen=True, slots=True)
class TypeTest:
    """`operand IS type`."""

    operand: "Node"
    type: str
    span: TextSpan


@dataclass(frozen=True, slots=True)
class ColumnNode:
    """One entry of a select list; without a node it is `*`."""

    node: "Node | None"
    aliased: bool
    span: TextSpan


@dataclass(frozen=True, slots=True)
class Source:
    """The source after FROM, UPDATE or INTO."""

    node: "Node"
    aliased: bool = False
    joined: bool = False


@dataclass(frozen=True, slots=True)
class OrderingNode:
    """One key of ORDER BY."""

    node: "Node"
    descending: bool


@dataclass(frozen=True, slots=True)
class SelectNode:
    """SELECT. `unsupported` is the first clause that DynamoDB does not support, and the position of its content."""

    columns: tuple[ColumnNode, ...]
    source: Source
    where: "Node | None"
    order: tuple[OrderingNode, ...]
    unsupported: tuple[str, TextSpan] | None
    span: TextSpan


@dataclass(frozen=True, slots=True)
class InsertNode:
    """INSERT INTO; `single` when it says VALUE."""

    target: Source
    value: "Node"
    single: bool
    positioned: bool
    on_conflict: bool
    returning: tuple["Returning", ...]
    span: TextSpan


@dataclass(frozen=True, slots=True)
class SetNode:
    """`SET path = value`."""

    path: "Node"
    value: "Node"


@dataclass(frozen=True, slots=True)
class RemoveNode:
    """`REMOVE path`."""

    path: "Node"


@dataclass(frozen=True, slots=True)
class Returning:
    """One element of RETURNING: `all_old`, `modified_new` and so on, of `*` or of a column."""

    mapping: str
    star: bool


@dataclass(frozen=True, slots=True)
class UpdateNode:
    """UPDATE, also in its form that begins with FROM."""

    source: Source
    changes: tuple["SetNode | RemoveNode | InsertNode", ...]
    where: "Node | None"
    returning: tuple[Returning, ...]
    span: TextSpan


@dataclass(frozen=True, slots=True)
class DeleteNode:
    """DELETE FROM."""

    source: Source
    where: "Node | None"
    returning: tuple[Returning, ...]
    span: TextSpan


Node: TypeAlias = (
    Name
    | Literal
    | Missing
    | Ion
    | ParameterNode
    | Collection
    | Struct
    | Access
    | CallNode
    | OperationNode
    | TypeTest
    | SelectNode
    | InsertNode
    | UpdateNode
    | DeleteNode
    | SetNode
    | RemoveNode
)

_OPERATION_NAMES = {
    "+": "Plus",
    "-": "Minus",
    "*": "Times",
    "/": "Divide",
    "%": "Modulo",
    "||": "Concat",
    "=": "Eq",
    "<>": "Ne",
    "<": "Lt",
    "<=": "Lte",
    ">": "Gt",
    ">=": "Gte",
    "in": "InCollection",
}


def kind_name(node: Node) -> str:
    """The name of this kind of node in AWS's messages."""
    match node:
        case Name():
            return "Id"
        case Literal() | Ion():
            return "Lit"
        case Collection(kind):
            return kind
        case Access():
            return "Path"
        case TypeTest():
            return "IsType"
        case OperationNode(operator):
            return _OPERATION_NAMES.get(operator) or operator.capitalize()
        case _:
            return type(node).__name__.removesuffix("Node")
