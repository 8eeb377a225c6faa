"""Prepared expressions: parsed and checked once for all requests that differ only in the contents of their values.

The same text is sent many times, with the same names and with values of the same types. Where every check depends on
these only, an expression that passed once passes always. It is cached with a `Slot` in place of each value. Invalid
expressions are not cached: they are checked again each time, with the same error.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from tablewright.dynamodb.expressions.nodes import Operand, Slot
from tablewright.dynamodb.expressions.placeholders import Form, Scope
from tablewright.dynamodb.values.attributes import type_of

T = TypeVar("T")

MOST_KEPT = 1024


class Outline(Scope):
    """A scope with the form of a request's scope, without the values."""

    __slots__ = ()

    def __init__(self, form: Form) -> None:
        names, types = form
        super().__init__(dict(names) or None)
        self.values = {name: {kind: None} for name, kind in types}

    def operand(self, placeholder: str, kind: str) -> Operand:
        """A slot of the value's type."""
        return Slot(placeholder, type_of(self.value(placeholder, kind)))


def prepared(understand: Callable[[str, Scope], T]) -> Callable[[str, Scope], T]:
    """Cache `understand` by text and form of the scope; its result must not depend on anything else.

    >>> @prepared
    ... def operand_of(text, scope):
    ...     return scope.operand(text, "UpdateExpression")
    >>> operand_of(":v", Scope(None, {":v": {"N": "1"}})) is operand_of(":v", Scope(None, {":v": {"N": "2"}}))
    True
    """

    def understood(text: str, form: Form) -> tuple[T, frozenset[str]]:
        outline = Outline(form)
        return understand(text, outline), outline.used

    remembered = lru_cache(maxsize=MOST_KEPT)(understood)

    def recall(text: str, scope: Scope) -> T:
        meaning, used = (understood if scope.is_large else remembered)(text, scope.form)
        scope.use(used)
        return meaning

    return recall
