"""The placeholders of one request: what `#names` and `:values` stand for, and whether all were used."""

import re
from collections.abc import Mapping
from typing import Any

from tablewright.errors import ValidationError
from tablewright.expressions.grammar import invalid
from tablewright.expressions.nodes import Arithmetic, Call, Constant, Operand, Path, Reference
from tablewright.values.attributes import AttributeValue, normalise

_NAME_KEY = re.compile(r"#[0-9a-zA-Z_]+")
_VALUE_KEY = re.compile(r":[0-9a-zA-Z_]+")
MAX_PLACEHOLDER = 255
MAX_NAME = 65535


class Scope:
    """ExpressionAttributeNames and ExpressionAttributeValues of one request.

    >>> scope = Scope({"#s": "status"}, None)
    >>> scope.resolve_path(Path(("#s", 0), has_placeholders=True), "FilterExpression")
    Path(parts=('status', 0))
    >>> scope.finish()
    """

    __slots__ = ("_names", "_unused_names", "_unused_values", "_values")

    def __init__(
        self, names: Mapping[str, str] | None = None, values: Mapping[str, Any] | None = None
    ) -> None:
        self._names = {} if names is None else _checked_names(names)
        self._values = {} if values is None else _checked_values(values)
        self._unused_names = dict.fromkeys(self._names)
        self._unused_values = dict.fromkeys(self._values)

    def resolve(self, operand: Operand, kind: str) -> Operand:
        """The operand with placeholders replaced by what they stand for."""
        if isinstance(operand, Path):
            return self.resolve_path(operand, kind)
        if isinstance(operand, Reference):
            return Constant(self.value(operand.name, kind))
        if isinstance(operand, Call):
            return self.resolve_call(operand, kind)
        if isinstance(operand, Arithmetic):
            left, right = self.resolve(operand.left, kind), self.resolve(operand.right, kind)
            return Arithmetic(operand.operator, left, right)
        return operand

    def resolve_call(self, call: Call, kind: str) -> Call:
        """The call with placeholders among its operands replaced."""
        return Call(call.function, tuple([self.resolve(each, kind) for each in call.operands]))

    def resolve_path(self, path: Path, kind: str) -> Path:
        """The path with placeholders replaced by attribute names."""
        if not path.has_placeholders:
            return path
        return Path(tuple([self._resolve_part(part, kind) for part in path.parts]))

    def _resolve_part(self, part: str | int, kind: str) -> str | int:
        return self.name(part, kind) if isinstance(part, str) and part[0] == "#" else part

    def name(self, placeholder: str, kind: str) -> str:
        """The attribute name that `#placeholder` stands for."""
        self._unused_names.pop(placeholder, None)
        try:
            return self._names[placeholder]
        except KeyError:
            raise invalid(
                kind,
                "An expression attribute name used in the document path is not defined; "
                f"attribute name: {placeholder}",
            ) from None

    def value(self, placeholder: str, kind: str) -> AttributeValue:
        """The value that `:placeholder` stands for."""
        self._unused_values.pop(placeholder, None)
        try:
            return self._values[placeholder]
        except KeyError:
            raise invalid(
                kind,
                "An expression attribute value used in expression is not defined; "
                f"attribute value: {placeholder}",
            ) from None

    def finish(self) -> None:
        """Refuse placeholders that no expression used; to be called when all of the request's are bound."""
        for parameter, unused in (
            ("ExpressionAttributeNames", self._unused_names),
            ("ExpressionAttributeValues", self._unused_values),
        ):
            if unused:
                keys = ", ".join(unused)
                raise ValidationError(
                    f"Value provided in {parameter} unused in expressions: keys: {{{keys}}}"
                )


def _checked_names(names: Mapping[str, str]) -> dict[str, str]:
    parameter = "ExpressionAttributeNames"
    _check_keys(parameter, names, _NAME_KEY)
    for key, name in names.items():
        if not name:
            raise ValidationError(f"{parameter} contains invalid value: Empty attribute name for key {key}")
        if len(name) > MAX_NAME or len(name.encode()) > MAX_NAME:
            raise ValidationError(
                f"{parameter} contains invalid value: Attribute name is too large, "
                f"must be less than {MAX_NAME + 1} bytes for key {key}"
            )
    return dict(names)


def _checked_values(values: Mapping[str, Any]) -> dict[str, AttributeValue]:
    parameter = "ExpressionAttributeValues"
    _check_keys(parameter, values, _VALUE_KEY)
    checked = {}
    for key, value in values.items():
        try:
            checked[key] = normalise(value)
        except ValidationError as refusal:
            older = f"{parameter} contains invalid value: {refusal.older} for key {key}"
            raise ValidationError(refusal.message, older) from None
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
    # AWS tells the size for names only.
    return f"{message} size of key: {size}" if parameter == "ExpressionAttributeNames" else message
