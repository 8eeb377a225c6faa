"""Filters: a DynamoDB filter expression over field names, with a pattern's parameters as `:name`.

    filter = "status = :status AND size(tags) > :least"

Parsed once. Every field name is replaced by an alias of its stored name, so that reserved words and special
characters are allowed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pydantic import BaseModel

from tablewright.design.fields.annotations import plain_type
from tablewright.design.fields.markers import Encrypted
from tablewright.design.layouts.compared_values import Use, element_type
from tablewright.design.layouts.layouts import Layout
from tablewright.design.nearest_names import suggestion
from tablewright.errors import ServiceError
from tablewright.expressions.condition_grammar import PREDICATES, parse_condition
from tablewright.expressions.nodes import (
    And,
    Between,
    Call,
    Comparison,
    ConditionNode,
    Not,
    Operand,
    Or,
    Path,
    Reference,
    Within,
)
from tablewright.expressions.tokens import END, VALUE, WORD, Token, tokenize

_KEYWORDS = frozenset({"AND", "BETWEEN", "IN", "NOT", "OR"})
_FUNCTIONS = PREDICATES | {"size"}
_BRACED = re.compile(r"\{([a-zA-Z_][a-zA-Z0-9_]*)[^}]*\}")
_FIX = 'write a DynamoDB filter expression, with parameters as :name, such as "visits > :least"'
_ALLOWED_ON_SECRETS = frozenset({"attribute_exists", "attribute_not_exists"})


@dataclass(frozen=True, slots=True)
class Filter:
    """A compiled filter."""

    expression: str
    """With aliases `#f0`, `#f1`, ... for names, and `:name` for each parameter."""
    names: Mapping[str, str]
    """The stored name of each alias."""
    fields: tuple[str, ...]
    """The fields it uses."""
    parameters: tuple[str, ...]
    """The parameters it needs, without their colons."""
    comparisons: tuple["FilterComparison", ...] = ()
    """What each parameter is compared with, as far as its type is known."""


@dataclass(frozen=True, slots=True)
class FilterComparison:
    """A parameter compared with a field."""

    parameter: str
    field: str
    annotation: Any
    use: Use


class FilterError(ValueError):
    """A filter that is invalid: why, and the fix."""

    def __init__(self, why: str, fix: str) -> None:
        self.why = why
        self.fix = fix
        super().__init__(f"{why}; {fix}")


def compile_filter(text: str, layouts: Sequence[Layout]) -> Filter:
    """The filter over the fields of these entities; `FilterError` if it is invalid."""
    return _Compiler(text, layouts).filter()


class _Compiler:
    """Compiles one filter."""

    def __init__(self, text: str, layouts: Sequence[Layout]) -> None:
        self.text = text
        self.layouts = layouts
        self.aliases: dict[str, str] = {}
        self.fields: dict[str, None] = {}
        self.parameters: dict[str, None] = {}

    def filter(self) -> Filter:
        """Replace names by aliases, and check that DynamoDB accepts the result."""
        if braced := _BRACED.search(self.text):
            raise FilterError(f"{braced[0]} is not a parameter of a filter", f"write :{braced[1]}")
        expression = "".join(self._pieces(tokenize(self.text, _KEYWORDS))).strip()
        try:
            node = parse_condition(expression, "FilterExpression")
        except ServiceError as error:
            why = error.message.removeprefix("Invalid FilterExpression: ")
            raise FilterError(why, _FIX) from None
        names = {alias: name for name, alias in self.aliases.items()}
        comparisons = tuple(self._comparisons(node, names))
        return Filter(expression, names, tuple(self.fields), tuple(self.parameters), comparisons)

    def _comparisons(self, node: ConditionNode, names: Mapping[str, str]) -> Iterator[FilterComparison]:
        """Every parameter with the field that it is compared with."""
        for operands, use in _compared(node):
            fields = [each for each in operands if not isinstance(each, Reference)]
            for parameter in (each for each in operands if isinstance(each, Reference)):
                if len(fields) == 1:
                    text, annotation = self._operand_type(fields[0], names)
                    yield FilterComparison(parameter.name[1:], text, annotation, use)

    def _operand_type(self, operand: Operand, names: Mapping[str, str]) -> tuple[str, Any]:
        """The text and the type of a path or of a size."""
        if not isinstance(operand, Path):
            return "size(...)", int
        stored = [names.get(part, part) if isinstance(part, str) else part for part in operand.parts]
        fields = [layout.field_stored_as(str(stored[0])) for layout in self.layouts]
        found = [field for field in fields if field is not None]
        annotation = found[0].annotation if found else Any
        if any(field.annotation != annotation for field in found):
            annotation = Any
        for part in stored[1:]:
            annotation = _member_type(annotation, part)
        return ".".join(map(str, [found[0].name if found else stored[0], *stored[1:]])), annotation

    def _pieces(self, tokens: list[Token]) -> Iterator[str]:
        parent: Any = None
        before = function = ""
        for token, following in pairwise(tokens):
            if token.kind == VALUE:
                self.parameters[token.text[1:]] = None
                yield f" {token.text}"
            elif token.kind == WORD and not (token.text in _FUNCTIONS and following.kind == "("):
                stored, parent = (
                    self._member(parent, token.text) if before == "." else self._field(token.text, function)
                )
                yield f"{'' if before == '.' else ' '}{self._alias(stored)}"
            elif token.kind != END:
                yield token.text if token.kind in (".", "[", "]", "number") else f" {token.text}"
            function = token.text if token.text in _FUNCTIONS else function if token.kind == "(" else ""
            before = token.kind

    def _alias(self, stored: str) -> str:
        return self.aliases.setdefault(stored, f"#f{len(self.aliases)}")

    def _field(self, name: str, function: str) -> tuple[str, Any]:
        """The stored name and the type of a field; `function` is the function it is an argument of."""
        found = [layout.fields[name] for layout in self.layouts if name in layout.fields]
        if not found:
            known = [field for layout in self.layouts for field in layout.fields]
            entities = " or ".join(layout.entity.__name__ for layout in self.layouts)
            hint = suggestion(name, known, "use field names, and parameters as :name; the fields are")
            raise FilterError(f"{name} is not a field of {entities}", hint)
        if len({field.stored for field in found}) > 1:
            raise FilterError(f"{name} is stored under several names", "give it one alias in all entities")
        if function not in _ALLOWED_ON_SECRETS and any(field.marker(Encrypted) for field in found):
            raise FilterError(
                f"{name} is encrypted, so its value cannot be compared",
                "test whether it exists, or use Hashed",
            )
        self.fields[name] = None
        return found[0].stored, found[0].annotation

    def _member(self, parent: Any, name: str) -> tuple[str, Any]:
        """The stored name and the type of a field of a nested model; of anything else, the name itself."""
        fields = parent.model_fields if isinstance(parent, type) and issubclass(parent, BaseModel) else {}
        info = fields.get(name)
        return (name, None) if info is None else (info.alias or name, info.annotation)


def _compared(node: ConditionNode) -> Iterator[tuple[tuple[Operand, ...], Use]]:
    """The operands that a condition compares with each other, and how."""
    match node:
        case And(terms) | Or(terms):
            for term in terms:
                yield from _compared(term)
        case Not(term):
            yield from _compared(term)
        case Comparison(operator, left, right):
            yield (left, right), "equal" if operator in ("=", "<>") else "order"
        case Between(operand, low, high):
            yield (operand, low, high), "order"
        case Within(operand, choices):
            yield (operand, *choices), "equal"
        case Call("begins_with", operands):
            yield operands, "prefix"
        case Call("contains", operands):
            yield operands, "element"
        case _:
            return


def _member_type(annotation: Any, part: str | int) -> Any:
    """The type of an element of a list, or of a field of a nested model under its stored name."""
    plain, _ = plain_type(annotation)
    if isinstance(part, int):
        return element_type(plain)
    if isinstance(plain, type) and issubclass(plain, BaseModel):
        for name, info in plain.model_fields.items():
            if (info.alias or name) == part:
                return info.annotation
    return Any
