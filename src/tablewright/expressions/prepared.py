"""Prepared expressions: understood once, for all requests that differ in nothing but the contents of their values.

The same text comes again and again, with the same names and with values of the same types. Where every check looks at
these alone, an expression that passed once passes always. It is kept with a `Slot` wherever a value goes. What is
refused is not kept: it is looked at anew each time, and refused in the same words.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from tablewright.expressions.nodes import Operand, Slot
from tablewright.expressions.placeholders import Form, Scope
from tablewright.values.attributes import type_of

T = TypeVar("T")

MOST_KEPT = 1024


class Outline(Scope):
    """A scope of which only the form is known."""

    __slots__ = ()

    def __init__(self, form: Form) -> None:
        names, types = form
        super().__init__(dict(names) or None)
        self.values = {name: {kind: None} for name, kind in types}

    def operand(self, placeholder: str, kind: str) -> Operand:
        """A slot of the value's type."""
        return Slot(placeholder, type_of(self.value(placeholder, kind)))


def prepared(understand: Callable[[str, Scope], T]) -> Callable[[str, Scope], T]:
    """Let `understand` see each text only once for each form of scope; what it makes of it must not depend on more.

    >>> @prepared
    ... def operand_of(text, scope):
    ...     return scope.operand(text, "UpdateExpression")
    >>> operand_of(":v", Scope(None, {":v": {"N": "1"}})) is operand_of(":v", Scope(None, {":v": {"N": "2"}}))
    True
    """

    @lru_cache(maxsize=MOST_KEPT)
    def once(text: str, form: Form) -> tuple[T, frozenset[str]]:
        outline = Outline(form)
        return understand(text, outline), outline.used

    def recall(text: str, scope: Scope) -> T:
        meaning, used = once(text, scope.form)
        scope.use(used)
        return meaning

    return recall
