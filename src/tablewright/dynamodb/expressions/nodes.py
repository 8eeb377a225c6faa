"""The syntax nodes of expressions and legacy parameters: frozen, printable, comparable.

Parsing leaves placeholders in place: `Reference(":v")`, and parts that begin with `#` in a `Path`. Binding to
a request (see `placeholders`) replaces them: the result has the same classes, with `Constant`s and real names, or with
`Slot`s when it is reused for other requests (see `placeholders`).
"""

from collections.abc import Iterator
from dataclasses import field
from typing import TypeAlias

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.values.attributes import AttributeValue, type_of


@dataclass(frozen=True, slots=True)
class Path:
    """A document path: attribute name first, then map keys (str) and list indexes (int).

    >>> print(Path(("a", "b", 3)))
    [a, b, [3]]
    """

    parts: tuple[str | int, ...]
    has_placeholders: bool = field(default=False, repr=False, compare=False)

    def __str__(self) -> str:
        return f"[{', '.join(f'[{part}]' if isinstance(part, int) else part for part in self.parts)}]"

    @property
    def attribute(self) -> str:
        """The top-level attribute the path begins with."""
        return str(self.parts[0])


@dataclass(frozen=True, slots=True)
class Reference:
    """A value placeholder, such as `:v`."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A value from the request."""

    value: AttributeValue


@dataclass(frozen=True, slots=True)
class Slot:
    """A value placeholder in a prepared expression: only the type of its value is known."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function applied to operands; some functions are conditions themselves."""

    function: str
    operands: tuple["Operand", ...]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left + right` or `left - right`."""

    operator: str
    left: "Operand"
    right: "Operand"


Operand: TypeAlias = Path | Reference | Constant | Slot | FunctionCall | Arithmetic


def known_type(operand: Operand) -> str | None:
    """The type of a value from the request; None for a computed value, or one from an item."""
    if isinstance(operand, Slot):
        return operand.kind
    return type_of(operand.value) if isinstance(operand, Constant) else None


def paths_in(operand: Operand) -> Iterator[Path]:
    """The paths an operand reads, inside functions too, from left to right."""
    if isinstance(operand, Path):
        yield operand
    elif isinstance(operand, FunctionCall):
        for inner in operand.operands:
            yield from paths_in(inner)
    elif isinstance(operand, Arithmetic):
        yield from paths_in(operand.left)
        yield from paths_in(operand.right)


@dataclass(frozen=True, slots=True)
class ComparisonNode:
    """`left operator right`, for = <> < <= > >=."""

    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class BetweenNode:
    """`operand BETWEEN low AND high`, both ends included."""

    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True, slots=True)
class Within:
    """`operand IN (choice, ...)`."""

    operand: Operand
    choices: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class NotNode:
    """The negation of a condition."""

    term: "ConditionNode"


@dataclass(frozen=True, slots=True)
class And:
    """All of the terms."""

    terms: tuple["ConditionNode", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of the terms."""

    terms: tuple["ConditionNode", ...]


Clause: TypeAlias = ComparisonNode | BetweenNode | Within | FunctionCall
ConditionNode: TypeAlias = Clause | NotNode | And | Or


@dataclass(frozen=True, slots=True)
class Assign:
    """`SET path = value`."""

    path: Path
    value: Operand


@dataclass(frozen=True, slots=True)
class RemovePath:
    """`REMOVE path`."""

    path: Path


@dataclass(frozen=True, slots=True)
class AddToValue:
    """`ADD path :value`: a number to a number, elements to a set."""

    path: Path
    value: Operand


@dataclass(frozen=True, slots=True)
class DeleteFromSet:
    """`DELETE path :value`: elements from a set."""

    path: Path
    value: Operand


Action: TypeAlias = Assign | RemovePath | AddToValue | DeleteFromSet
