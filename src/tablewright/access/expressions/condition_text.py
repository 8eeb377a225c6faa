"""Conditions as DynamoDB's expressions: every name and value aliased, fields under their stored names."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tablewright.access.expressions.aliases import Aliases
from tablewright.access.given_values import describe_given
from tablewright.access.items.value_codec import to_attribute
from tablewright.access.items.vault import NoVault, Vault
from tablewright.design.fields.conditions import (
    Attribute,
    Between,
    Both,
    Comparison,
    Condition,
    Function,
    Hidden,
    Not,
    OneOf,
)
from tablewright.design.fields.markers import Encrypted, Hashed
from tablewright.design.layouts.compared_values import (
    Use,
    ValueMismatch,
    check_types,
    checked_value,
    stored_kind,
)
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.design.nearest_names import suggestion
from tablewright.errors import InvalidWrite, ValueNotStorable
from tablewright.values.attributes import AttributeValue


def condition_text(layout: Layout, condition: Condition, aliases: Aliases, vault: Vault | None = None) -> str:
    """Return a condition as an expression.

    `field == None` tests whether the attribute is absent, as None is never stored.
    """
    return _Writer(layout, aliases, vault or NoVault()).text(condition)


class _Writer:
    """Writes a condition for the items of one entity."""

    def __init__(self, layout: Layout, aliases: Aliases, vault: Vault) -> None:
        self.layout = layout
        self.aliases = aliases
        self.vault = vault

    def text(self, condition: Condition) -> str:
        """Return the condition, with parentheses around every operand of AND, OR and NOT."""
        match condition:
            case Comparison(operator, name, None) if operator in ("=", "<>"):
                function = "attribute_not_exists" if operator == "=" else "attribute_exists"
                return f"{function}({self._name(name)})"
            case Comparison(operator, name, value):
                use: Use = "equal" if operator in ("=", "<>") else "order"
                return f"{self._name(name)} {operator} {self._operand(name, value, use)}"
            case Between(name, low, high):
                bounds = (self._operand(name, bound, "order") for bound in (low, high))
                return f"{self._name(name)} BETWEEN {' AND '.join(bounds)}"
            case OneOf(name, values):
                values = self._values(name, values)
                if not 1 <= len(values) <= 100:
                    raise InvalidWrite(f"{name}.one_of() takes 1 to 100 values, not {len(values)}")
                return f"{self._name(name)} IN ({', '.join(self._operand(name, value) for value in values)})"
            case Function("attribute_exists" | "attribute_not_exists", name):
                return f"{condition.function}({self._name(name)})"
            case Function(function, name, value):
                use = "prefix" if function == "begins_with" else "element"
                return f"{function}({self._name(name)}, {self._operand(name, value, use)})"
            case Both(operator, left, right):
                return f"({self.text(left)}) {operator} ({self.text(right)})"
            case Not(inner):
                return f"NOT ({self.text(inner)})"
            case _:
                raise InvalidWrite(
                    f"{describe_given(condition)} is not a condition; compare a field: User.status == 'ACTIVE'"
                )

    def _field(self, name: str) -> FieldLayout:
        field = self.layout.fields.get(name)
        if field is None:
            raise InvalidWrite(
                f"the condition names {name}, which is not a field of {self.layout.entity.__name__}; "
                f"{suggestion(name, self.layout.fields, 'its fields are')}"
            )
        return field

    def _name(self, name: str) -> str:
        return self.aliases.name(self._field(name).stored)

    def _values(self, name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values of `one_of`; one list of values means its elements, unless the field is a list itself."""
        if len(values) != 1 or stored_kind(self._field(name).annotation) in ("a list", "a set"):
            return values
        given, is_hidden = values[0], isinstance(values[0], Hidden)
        given = given.value if is_hidden else given
        if not isinstance(given, list | tuple | set | frozenset):
            return values
        return tuple(Hidden(value) if is_hidden else value for value in given)

    def _operand(self, name: str, value: Any, use: Use = "equal") -> str:
        field = self._field(name)
        if isinstance(value, Attribute):
            other = self._field(value.name)
            with self._mismatch(f"{name} compared with {value.name}"):
                check_types(field.annotation, other.annotation, use)
            return self._name(value.name)
        if isinstance(value, Hidden):
            value = value.value
        return self.aliases.value(self._stored(field, value, use))

    @contextmanager
    def _mismatch(self, name: str, *, is_secret: bool = False) -> Iterator[None]:
        """Raise `InvalidWrite` for a value that the field can never have; a secret value is not shown."""
        try:
            yield
        except ValueMismatch as error:
            why = "cannot be compared with a value of another type" if is_secret else str(error)
            raise InvalidWrite(f"{self.layout.entity.__name__}.{name} {why}") from None

    def _stored(self, field: FieldLayout, value: Any, use: Use) -> AttributeValue:
        if field.marker(Encrypted):
            raise InvalidWrite(
                f"{self.layout.entity.__name__}.{field.name} is encrypted, differently at each write; "
                "a condition can test whether it exists, not its value"
            )
        if field.marker(Hashed) and use != "equal":
            raise InvalidWrite(
                f"{self.layout.entity.__name__}.{field.name} is stored as a hash; compare it with ==, != or one_of"
            )
        with self._mismatch(field.name, is_secret=field.is_secret):
            value = checked_value(field.annotation, value, use)
        if field.marker(Hashed):
            return {"S": self.vault.hashed(self.layout, field, value)}
        if isinstance(value, set | frozenset) and not value:
            raise InvalidWrite(
                f"{self.layout.entity.__name__}.{field.name} cannot equal an empty set, which is not stored; "
                "compare it with None"
            )
        try:
            return to_attribute(value)
        except ValueNotStorable as error:
            raise InvalidWrite(f"{self.layout.entity.__name__}.{field.name}: {error}") from None
