"""Aliases: no attribute name and no value ever stands in an expression itself, so none can be misread."""

from typing import Any

from tablewright.values.attributes import AttributeValue


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
        """The alias of an attribute name; the same each time."""
        return self._names.setdefault(attribute, f"#{len(self._names)}")

    def value(self, value: AttributeValue, alias: str | None = None) -> str:
        """The alias of a value: the one given, or a new one."""
        alias = alias or f":{len(self._values)}"
        self._values[alias] = value
        return alias

    def members(self) -> dict[str, Any]:
        """What the request says about its aliases; an empty member would be refused."""
        said: dict[str, Any] = {}
        if self._names:
            said["ExpressionAttributeNames"] = {alias: name for name, alias in self._names.items()}
        if self._values:
            said["ExpressionAttributeValues"] = dict(self._values)
        return said
