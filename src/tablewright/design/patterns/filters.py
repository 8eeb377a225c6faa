"""Filters: a DynamoDB condition over field names, with a pattern's parameters as `:name`.

    filter = "status = :status AND size(tags) > :least"

Parsed once. Every field becomes an alias of its stored name, so that no reserved word and no character can hurt.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

from pydantic import BaseModel

from tablewright.design.fields.markers import Encrypted
from tablewright.design.layouts.layouts import Layout
from tablewright.errors import ServiceError
from tablewright.expressions.condition_grammar import PREDICATES, parse_condition
from tablewright.expressions.tokens import END, VALUE, WORD, Token, tokenize

_KEYWORDS = frozenset({"AND", "BETWEEN", "IN", "NOT", "OR"})
_FUNCTIONS = PREDICATES | {"size"}
_OF_ANYTHING = frozenset({"attribute_exists", "attribute_not_exists"})


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter, ready for a request."""

    expression: str
    """With aliases `#f0`, `#f1`, ... for names, and `:name` for each parameter."""
    names: Mapping[str, str]
    """What each alias stands for: the stored name."""
    fields: tuple[str, ...]
    """The fields it looks at."""
    parameters: tuple[str, ...]
    """The parameters it needs, without their colons."""


class FilterError(ValueError):
    """What is wrong with a filter, and what to do about it."""

    def __init__(self, why: str, fix: str) -> None:
        self.why = why
        self.fix = fix
        super().__init__(f"{why}; {fix}")


def compile_filter(text: str, layouts: Sequence[Layout]) -> Filter:
    """The filter over the fields of these entities; `FilterError` when it cannot be."""
    return _Compiler(text, layouts).filter()


class _Compiler:
    """A filter being compiled."""

    def __init__(self, text: str, layouts: Sequence[Layout]) -> None:
        self.text = text
        self.layouts = layouts
        self.aliases: dict[str, str] = {}
        self.fields: dict[str, None] = {}
        self.parameters: dict[str, None] = {}

    def filter(self) -> Filter:
        """Put aliases for names, and see whether DynamoDB would understand it."""
        expression = "".join(self._pieces(tokenize(self.text, _KEYWORDS))).strip()
        try:
            parse_condition(expression, "FilterExpression")
        except ServiceError as refusal:
            why = refusal.message.removeprefix("Invalid FilterExpression: ")
            raise FilterError(why, "write it as DynamoDB does, with parameters as :name") from None
        names = {alias: name for name, alias in self.aliases.items()}
        return Filter(expression, names, tuple(self.fields), tuple(self.parameters))

    def _pieces(self, tokens: list[Token]) -> Iterator[str]:
        holder: Any = None
        before = called = ""
        for token, following in pairwise(tokens):
            if token.kind == VALUE:
                self.parameters[token.text[1:]] = None
                yield f" {token.text}"
            elif token.kind == WORD and not (token.text in _FUNCTIONS and following.kind == "("):
                stored, holder = (
                    self._member(holder, token.text) if before == "." else self._field(token.text, called)
                )
                yield f"{'' if before == '.' else ' '}{self._alias(stored)}"
            elif token.kind != END:
                yield token.text if token.kind in (".", "[", "]", "number") else f" {token.text}"
            called = token.text if token.text in _FUNCTIONS else called if token.kind == "(" else ""
            before = token.kind

    def _alias(self, stored: str) -> str:
        return self.aliases.setdefault(stored, f"#f{len(self.aliases)}")

    def _field(self, name: str, called: str) -> tuple[str, Any]:
        """A field under its stored name, and its type; `called` is the function that it is given to."""
        found = [layout.fields[name] for layout in self.layouts if name in layout.fields]
        if not found:
            known = [field for layout in self.layouts for field in layout.fields]
            close = get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]}?" if close else "name fields, and parameters as :name"
            raise FilterError(f"there is no field {name}", hint)
        if len({field.stored for field in found}) > 1:
            raise FilterError(f"{name} is stored under several names", "give it one alias in all entities")
        if called not in _OF_ANYTHING and any(field.marker(Encrypted) for field in found):
            raise FilterError(
                f"{name} is encrypted, each time differently", "ask whether it exists, or use Hashed"
            )
        self.fields[name] = None
        return found[0].stored, found[0].annotation

    def _member(self, holder: Any, name: str) -> tuple[str, Any]:
        """A part of a nested model, under its stored name; of anything else, the name itself."""
        fields = holder.model_fields if isinstance(holder, type) and issubclass(holder, BaseModel) else {}
        info = fields.get(name)
        return (name, None) if info is None else (info.alias or name, info.annotation)
