"""The placeholders of one request: the names of `#names`, the values of `:values`, and whether all were used.

Prepared expressions: parsed and checked once for all requests that differ only in the contents of their values.

The same text is sent many times, with the same names and with values of the same types. Where every check depends on
these only, an expression that passed once passes always. It is cached with a `Slot` in place of each value. Invalid
expressions are not cached: they are checked again each time, with the same error.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

from tablewright.dynamodb.expressions.grammar import invalid
from tablewright.dynamodb.expressions.nodes import (
    Arithmetic,
    Constant,
    FunctionCall,
    Operand,
    Path,
    Reference,
    Slot,
)
from tablewright.dynamodb.limits import MAX_PLACEHOLDER
from tablewright.dynamodb.values.attributes import AttributeValue, admit, type_of
from tablewright.dynamodb.values.item_sizes import text_size
from tablewright.errors import ValidationError

_NAME_KEY = re.compile(r"#[0-9a-zA-Z_]+")
_VALUE_KEY = re.compile(r":[0-9a-zA-Z_]+")
MAX_NAME = 65535
MAX_SUBSTITUTED = 2 * 1024 * 1024
"""The bytes of all placeholders of a request, with their names and values."""

MAX_KEPT = 8192
"""The bytes of names that a prepared expression may keep in memory."""

Entries: TypeAlias = tuple[tuple[str, str], ...]
Form: TypeAlias = tuple[Entries, Entries]


class Scope:
    """ExpressionAttributeNames and ExpressionAttributeValues of one request.

    >>> scope = Scope({"#s": "status"}, None)
    >>> scope.resolve_path(Path(("#s", 0), has_placeholders=True), "FilterExpression")
    Path(parts=('status', 0))
    >>> scope.finish()
    """

    __slots__ = ("_entries", "_form", "_names", "_size_of_names", "_used", "values")

    def __init__(
        self, names: Mapping[str, str] | None = None, values: Mapping[str, Any] | None = None
    ) -> None:
        self._entries = () if names is None else tuple(names.items())
        self._names, self._size_of_names = ({}, 0) if names is None else _checked_names(self._entries)
        self.values = {} if values is None else _checked_values(values, self._size_of_names)
        self._used: set[str] = set()
        self._form: Form | None = None

    @property
    def form(self) -> Form:
        """The names, and the types of the values: the part of a scope that a prepared expression depends on."""
        if self._form is None:
            types = tuple([(name, type_of(value)) for name, value in self.values.items()])
            self._form = self._entries, types
        return self._form

    @property
    def is_large(self) -> bool:
        """Whether the form is too large to be kept in memory after the request."""
        return self._size_of_names > MAX_KEPT or len(self.values) > MAX_KEPT // 64

    @property
    def used(self) -> frozenset[str]:
        """The placeholders that expressions used so far."""
        return frozenset(self._used)

    def use(self, placeholders: Iterable[str]) -> None:
        """Record that an expression used these placeholders."""
        self._used.update(placeholders)

    def resolve(self, operand: Operand, kind: str) -> Operand:
        """The operand with its placeholders replaced by names and values."""
        if isinstance(operand, Path):
            return self.resolve_path(operand, kind)
        if isinstance(operand, Reference):
            return self.operand(operand.name, kind)
        if isinstance(operand, FunctionCall):
            return self.resolve_call(operand, kind)
        if isinstance(operand, Arithmetic):
            left, right = self.resolve(operand.left, kind), self.resolve(operand.right, kind)
            return Arithmetic(operand.operator, left, right)
        return operand

    def resolve_call(self, call: FunctionCall, kind: str) -> FunctionCall:
        """The call with placeholders among its operands replaced."""
        return FunctionCall(call.function, tuple([self.resolve(operand, kind) for operand in call.operands]))

    def resolve_path(self, path: Path, kind: str) -> Path:
        """The path with placeholders replaced by attribute names."""
        if not path.has_placeholders:
            return path
        return Path(tuple([self._resolve_part(part, kind) for part in path.parts]))

    def _resolve_part(self, part: str | int, kind: str) -> str | int:
        return self.name(part, kind) if isinstance(part, str) and part[0] == "#" else part

    def name(self, placeholder: str, kind: str) -> str:
        """The attribute name of `#placeholder`."""
        name = self._names.get(placeholder)
        if name is None:
            raise invalid(
                kind,
                "An expression attribute name used in the document path is not defined; "
                f"attribute name: {placeholder}",
            )
        self._used.add(placeholder)
        return name

    def operand(self, placeholder: str, kind: str) -> Operand:
        """The operand that replaces `:placeholder` in a bound expression."""
        return Constant(self.value(placeholder, kind))

    def value(self, placeholder: str, kind: str) -> AttributeValue:
        """The value of `:placeholder`."""
        value = self.values.get(placeholder)
        if value is None:
            raise invalid(
                kind,
                "An expression attribute value used in expression is not defined; "
                f"attribute value: {placeholder}",
            )
        self._used.add(placeholder)
        return value

    def finish(self) -> None:
        """Reject placeholders that no expression used; call it when all expressions of the request are bound."""
        if len(self._used) == len(self._names) + len(self.values):
            return
        for parameter, entries in (
            ("ExpressionAttributeNames", self._names),
            ("ExpressionAttributeValues", self.values),
        ):
            unused = [key for key in entries if key not in self._used]
            if unused:
                keys = ", ".join(unused)
                raise ValidationError(
                    f"Value provided in {parameter} unused in expressions: keys: {{{keys}}}"
                )


def _checked_names(entries: Entries) -> tuple[dict[str, str], int]:
    """The names by placeholder, and the bytes of both."""
    if len(entries) > MAX_KEPT // 64 or sum([len(name) for _, name in entries]) > MAX_KEPT:
        return _check_names(entries)
    return _remembered_names(entries)


def _check_names(entries: Entries) -> tuple[dict[str, str], int]:
    parameter = "ExpressionAttributeNames"
    names = dict(entries)
    size = sum(text_size(key) + text_size(name) for key, name in entries)
    if size > MAX_SUBSTITUTED:
        raise ValidationError(f"{parameter} exceeds max size")
    _check_keys(parameter, names, _NAME_KEY)
    for key, name in entries:
        if not name:
            raise ValidationError(f"{parameter} contains invalid value: Empty attribute name for key {key}")
        if len(name) > MAX_NAME or len(name.encode()) > MAX_NAME:
            raise ValidationError(
                f"{parameter} contains invalid value: Attribute name is too large, "
                f"must be less than {MAX_NAME + 1} bytes for key {key}"
            )
    return names, size


_remembered_names = lru_cache(maxsize=1024)(_check_names)


def _checked_values(values: Mapping[str, Any], size_of_names: int) -> dict[str, AttributeValue]:
    parameter = "ExpressionAttributeValues"
    _check_keys(parameter, values, _VALUE_KEY)
    checked = {}
    total = 0
    for key, value in values.items():
        try:
            checked[key], size = admit(value)
            total += len(key) + size
        except ValidationError as error:
            older = f"{parameter} contains invalid value: {error.older} for key {key}"
            raise ValidationError(error.message, older) from None
    if total > MAX_SUBSTITUTED:
        raise ValidationError(f"{parameter} exceeds max size")
    if total + size_of_names > MAX_SUBSTITUTED:
        raise ValidationError(f"Combined size of ExpressionAttributeNames and {parameter} exceeds max size")
    return checked


def _check_keys(parameter: str, entries: Mapping[str, Any], pattern: re.Pattern[str]) -> None:
    if not entries:
        raise ValidationError(f"{parameter} must not be empty")
    for key in entries:
        if len(key) <= MAX_PLACEHOLDER and pattern.fullmatch(key):
            continue
        if len(key.encode()) > MAX_PLACEHOLDER:
            raise ValidationError(_too_long(parameter, len(key.encode())))
        raise ValidationError(f'{parameter} contains invalid key: Syntax error; key: "{key}"')


def _too_long(parameter: str, size: int) -> str:
    message = (
        f"{parameter} contains invalid key: The expression attribute map contains a key that is too long;"
    )
    # AWS shows the size for names only.
    return f"{message} size of key: {size}" if parameter == "ExpressionAttributeNames" else message


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
