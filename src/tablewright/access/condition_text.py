"""Conditions of writes as DynamoDB's expressions: every name and value aliased, fields under their stored names.

Aliases: placeholders for attribute names and values, so that no name or value is part of an expression's text.
"""

from typing import Any

from tablewright.access.items.item_values import to_attribute
from tablewright.access.items.vault import NoVault, Vault
from tablewright.design.fields.conditions import (
    Between,
    Comparison,
    Condition,
    FieldPath,
    FilterParameter,
    Function,
    OneOf,
    Size,
)
from tablewright.design.fields.descriptions import describe_argument
from tablewright.design.fields.markers import Hashed
from tablewright.design.layouts.compared_values import Use
from tablewright.design.layouts.condition_writer import ConditionSubject, ConditionWriter, InvalidCondition
from tablewright.design.layouts.layouts import Layout, StoredForms
from tablewright.dynamodb.values.attributes import AttributeValue, Item, admit_item
from tablewright.errors import InvalidWrite, ValueNotStorable


class Aliases:
    """The names and values of one request's expressions.

    >>> aliases = Aliases()
    >>> f"{aliases.name('timestamp#id')} = {aliases.value({'S': 'x'})}"
    '#0 = :0'
    >>> aliases.members()
    {'ExpressionAttributeNames': {'#0': 'timestamp#id'}, 'ExpressionAttributeValues': {':0': {'S': 'x'}}}
    """

    __slots__ = ("_names", "_values")

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[str, AttributeValue] = {}

    def name(self, attribute: str) -> str:
        """Return the alias of an attribute name; the same name always has the same alias."""
        return self._names.setdefault(attribute, f"#{len(self._names)}")

    def value(self, value: AttributeValue, alias: str | None = None) -> str:
        """Return the alias of a value: the given one, or a new one."""
        alias = alias or f":{len(self._values)}"
        self._values[alias] = value
        return alias

    def members(self) -> dict[str, Any]:
        """Return the request members that define the aliases; DynamoDB rejects empty ones, so those are left out."""
        members: dict[str, Any] = {}
        if self._names:
            members["ExpressionAttributeNames"] = {alias: name for name, alias in self._names.items()}
        if self._values:
            members["ExpressionAttributeValues"] = dict(self._values)
        return members


def condition_text(
    layout: Layout,
    condition: Condition,
    aliases: Aliases,
    vault: Vault | None = None,
    forms: StoredForms | None = None,
) -> str:
    """Return a condition as an expression.

    `field == None` tests whether the attribute is absent, as None is never stored. `forms` are the values of the entity
    that are stored in another form: the condition holds for them if it holds for our form of the same value.
    """
    argument: object = condition
    if not isinstance(argument, Condition):
        raise InvalidWrite(
            f"{describe_argument(argument)} is not a condition; compare a field: User.status == 'ACTIVE'"
        )
    try:
        return _Writer(layout, aliases, vault or NoVault(), forms or {}).text(condition)
    except InvalidCondition as error:
        raise InvalidWrite(str(error)) from None


def condition_matches(layout: Layout, condition: Condition, item: Item, vault: Vault | None = None) -> bool:
    """Return whether a condition holds for an item, as DynamoDB evaluates it."""
    aliases = Aliases()
    text = condition_text(layout, condition, aliases, vault)
    members = aliases.members()
    # Imported here: DynamoDB evaluates conditions; only a write that has read its item does it too.
    from tablewright.dynamodb.expressions.condition import condition as compiled
    from tablewright.dynamodb.expressions.placeholders import Scope

    scope = Scope(members.get("ExpressionAttributeNames"), members.get("ExpressionAttributeValues"))
    return compiled(text, scope).matches(admit_item(item)[0])


class _Writer(ConditionWriter):
    """Writes a condition with its values, for one request."""

    def __init__(self, layout: Layout, aliases: Aliases, vault: Vault, forms: StoredForms) -> None:
        super().__init__(layout)
        self.layout = layout
        self.aliases = aliases
        self.vault = vault
        self.forms = forms

    def text(self, condition: Condition) -> str:
        """Return the condition; a comparison with a value that is stored in another form holds as for our form."""
        text = super().text(condition)
        attribute = self._compared_form(condition) if self.forms else None
        if attribute is None:
            return text
        form = self.forms[attribute]
        alias, stored = self.name(attribute), self.aliases.value({**form.stored})
        if condition_matches(self.layout, condition, {attribute: {**form.ours}}, self.vault):
            return f"({alias} = {stored}) OR ({text})"
        return f"({alias} <> {stored}) AND ({text})"

    def _compared_form(self, condition: Condition) -> str | None:
        """The attribute that a comparison compares with values, if it is stored in another form."""
        match condition:
            case Comparison(_, FieldPath() as path, value) if value is not None:
                values: tuple[Any, ...] = (value,)
            case Comparison(_, value, FieldPath() as path):
                values = (value,)
            case Between(FieldPath() as path, low, high):
                values = (low, high)
            case OneOf(FieldPath() as path, values):
                pass
            case Function("begins_with" | "contains", path, value):
                values = (value,)
            case _:
                return None
        field = self.layout.fields.get(path.name)
        if field is None or len(path.parts) > 1 or any(isinstance(one, FieldPath | Size) for one in values):
            return None
        return field.stored if field.stored in self.forms else None

    def name(self, stored: str) -> str:
        """Return the alias of the name."""
        return self.aliases.name(stored)

    def value(self, subject: ConditionSubject, value: Any) -> str:
        """Return the alias of the value in its stored form."""
        if subject.field.marker(Hashed):
            return self.aliases.value({"S": self.vault.hashed(self.layout, subject.field, value)})
        try:
            return self.aliases.value(to_attribute(value))
        except ValueNotStorable as error:
            raise InvalidCondition(f"{subject.text}: {error}") from None

    def parameter(self, subject: ConditionSubject, parameter: FilterParameter, use: Use) -> str:
        """Reject a parameter: a write has none."""
        raise InvalidCondition(
            f"{subject.text} is compared with fields.parameter({parameter.name!r}), "
            "which belongs into the filter of a pattern",
            "compare it with a value",
        )
