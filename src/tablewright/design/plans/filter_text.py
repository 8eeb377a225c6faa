"""Filter text: a filter in DynamoDB's syntax over field names, parsed into a condition.

    visits > {least} AND address.city = 'Berlin' AND size(history) < 3 AND attribute_exists(addresses['home'])

`{name}` is a parameter, as in keys. Values are texts in quotes, numbers, `true` and `false`. Names and values are
replaced by placeholders before DynamoDB's grammar parses the text, so that it accepts every field name.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import reduce
from typing import Any, Literal

from tablewright.design.fields.conditions import (
    Between,
    Both,
    Comparison,
    Condition,
    FieldPath,
    FilterParameter,
    Function,
    Not,
    OneOf,
    Size,
)
from tablewright.design.layouts.condition_writer import InvalidCondition
from tablewright.dynamodb.expressions import nodes
from tablewright.dynamodb.expressions.condition import PREDICATES, parse_condition
from tablewright.dynamodb.values.numbers import canonical
from tablewright.errors import ServiceError

_FIX = "write a DynamoDB filter expression, such as \"visits > {least} AND status = 'open'\""
_KEYWORDS = frozenset({"AND", "BETWEEN", "IN", "NOT", "OR"})
_FUNCTIONS = PREDICATES | {"size"}
_LITERALS = {"true": True, "false": False}
_NOTHING = frozenset({"none", "null"})

_PIECE = re.compile(
    r"(?P<space>\s+)"
    r"|\{(?P<parameter>[^{}]*)\}"
    r"|(?P<colon>:[A-Za-z0-9_]+)"
    r"|(?P<key>\[\s*(?:'(?:[^']|'')*'|\"[^\"]*\")\s*\])"
    r"|(?P<index>\[\s*-?[0-9]+\s*\])"
    r"|(?P<text>'(?:[^']|'')*'|\"[^\"]*\")"
    r"|(?P<number>-?[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<symbol><=|>=|<>|==|!=|.)",
    re.DOTALL,
)
_VISIBLE = re.compile(r"\S")
# The placeholders of names and values; other digits, such as those of Arabic, are text of the filter.
_PLACEHOLDER = re.compile(r"[#:]([0-9]+)")


def parse_filter(text: str) -> Condition:
    """The condition of a filter text; `InvalidCondition` if it is no valid expression.

    >>> parse_filter("visits > {least}")
    Comparison(operator='>', operand=<visits>, value=FilterParameter(name='least'))
    """
    return _Parser(text).condition()


class _Parser:
    """Parses one filter."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names: list[str] = []
        self.values: list[tuple[str, Any]] = []
        """The values and parameters, each with its source."""

    def condition(self) -> Condition:
        """Replace names and values by placeholders, and read DynamoDB's nodes."""
        expression = "".join(self._pieces())
        try:
            node = parse_condition(expression, "FilterExpression")
        except ServiceError as error:
            why = error.message.removeprefix("Invalid FilterExpression: ")
            raise InvalidCondition(_PLACEHOLDER.sub(self._source, why), _FIX) from None
        return self._condition(node)

    def _source(self, placeholder: re.Match[str]) -> str:
        at = int(placeholder[1])
        return self.names[at] if placeholder[0][0] == "#" else self.values[at][0]

    def _pieces(self) -> Iterator[str]:
        before = ""
        for match in _PIECE.finditer(self.text):
            kind, source = match.lastgroup or "", match.group()
            if kind == "word":
                yield self._word(source, before, _next_character(self.text, match.end()))
            elif kind == "key":
                yield f".{self._name(_unquoted(source[1:-1].strip()))}"
            elif kind in ("space", "index", "symbol"):
                yield _symbol(source)
            else:
                yield self._value(source, _value(kind, match))
            before = before if kind == "space" else source

    def _word(self, word: str, before: str, after: str) -> str:
        if before != ".":
            if word.upper() in _KEYWORDS or (word in _FUNCTIONS and after == "("):
                return word
            if word.lower() in _LITERALS:
                return self._value(word, _LITERALS[word.lower()])
            if word.lower() in _NOTHING:
                raise InvalidCondition(
                    f"a filter compares with {word}, which is not stored", "use attribute_not_exists(...)"
                )
            if after == "(":
                return word  # DynamoDB's grammar names the unknown function
        return self._name(word)

    def _name(self, name: str) -> str:
        self.names.append(name)
        return f"#{len(self.names) - 1}"

    def _value(self, source: str, value: Any) -> str:
        self.values.append((source, value))
        return f":{len(self.values) - 1}"

    def _condition(self, node: nodes.ConditionNode) -> Condition:
        match node:
            case nodes.And(terms):
                return self._joined("AND", terms)
            case nodes.Or(terms):
                return self._joined("OR", terms)
            case nodes.NotNode(term):
                return Not(self._condition(term))
            case nodes.ComparisonNode(operator, left, right):
                return Comparison(operator, self._operand(left), self._operand(right))  # type: ignore[arg-type]
            case nodes.BetweenNode(operand, low, high):
                return Between(self._operand(operand), self._operand(low), self._operand(high))
            case nodes.Within(operand, choices):
                return OneOf(self._operand(operand), tuple(map(self._operand, choices)))
            case nodes.FunctionCall(function, operands):
                return self._function(function, tuple(map(self._operand, operands)))

    def _joined(self, operator: Literal["AND", "OR"], terms: tuple[nodes.ConditionNode, ...]) -> Condition:
        return reduce(lambda left, right: Both(operator, left, right), map(self._condition, terms))

    def _function(self, function: str, operands: tuple[Any, ...]) -> Condition:
        needed = 1 if function in ("attribute_exists", "attribute_not_exists") else 2
        if len(operands) != needed or not isinstance(operands[0], FieldPath):
            arguments = "a field" if needed == 1 else "a field and a value"
            raise InvalidCondition(f"{function} takes {arguments}", _FIX)
        return Function(function, *operands)  # type: ignore[arg-type]

    def _operand(self, operand: nodes.Operand) -> Any:
        match operand:
            case nodes.Path(parts):
                return FieldPath(None, tuple(self._part(part) for part in parts))
            case nodes.Reference(name):
                return self.values[int(name[1:])][1]
            case nodes.FunctionCall("size", (nodes.Path() as path,)):
                return Size(self._operand(path))
            case _:
                raise InvalidCondition("size takes a field", _FIX)

    def _part(self, part: str | int) -> str | int:
        return self.names[int(part[1:])] if isinstance(part, str) else part


def _value(kind: str, match: re.Match[str]) -> Any:
    source = match.group()
    match kind:
        case "parameter":
            return _parameter(match["parameter"])
        case "colon":
            raise InvalidCondition(
                f"{source} is not how a filter names a parameter", f"write {{{source[1:]}}}"
            )
        case "number":
            return _number(source)
        case _:
            return _unquoted(source)


def _number(source: str) -> Decimal | int:
    try:
        canonical(source)
    except ServiceError as error:
        raise InvalidCondition(
            f"a filter has a number that no item can have: {error.message}", _FIX
        ) from None
    return Decimal(source) if "." in source else int(Decimal(source))


def _parameter(content: str) -> FilterParameter:
    name = content.strip()
    if name.isidentifier():
        return FilterParameter(name)
    plain = name.partition(":")[0]
    if ":" in name and plain.isidentifier():
        raise InvalidCondition(
            f"{{{content}}} has a key format, and fields are stored without one", f"write {{{plain}}}"
        )
    raise InvalidCondition(f"{{{content}}} is not a parameter", "write {name}")


def _next_character(text: str, at: int) -> str:
    """The next character that is no space; empty at the end."""
    match = _VISIBLE.search(text, at)
    return match.group() if match else ""


def _symbol(source: str) -> str:
    if source in ("==", "!="):
        raise InvalidCondition(
            f"{source} is not an operator of DynamoDB", f"write {'=' if source == '==' else '<>'}"
        )
    return source


def _unquoted(source: str) -> str:
    return source[1:-1].replace("''", "'") if source[0] == "'" else source[1:-1]
