"""Aliases: placeholders for attribute names and values, so that no name or value is part of an expression's text."""

from typing import Any

from tablewright.dynamodb.values.attributes import AttributeValue


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
