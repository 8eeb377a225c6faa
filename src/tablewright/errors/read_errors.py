"""Read errors: typed reads that found something other than what their pattern returns."""

from typing import Any

from tablewright.errors.base_error import TablewrightError


class UnknownItem(TablewrightError):
    """An item that its pattern cannot return: another type, keys that contradict its fields, or invalid values.

    `key` is the item's primary key and `item` the whole item, as attribute values; `reason` says what is wrong. A page
    lists these errors under `unknown`; a read of one entity raises the error. The message contains the key, never the
    content.
    """

    def __init__(self, table: str, key: dict[str, Any], item: dict[str, Any], reason: str) -> None:
        self.table = table
        self.key = key
        self.item = item
        self.reason = reason
        shown = ", ".join(f"{name} = {next(iter(value.values()))!r}" for name, value in key.items())
        super().__init__(f"the item {shown} of {table} {reason}")


class SeveralFound(TablewrightError):
    """A `Find` found more than one entity; `pattern` is the name of the pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        super().__init__(
            f"{pattern} found several items where at most one was expected; use a Query to see them"
        )


class FieldNotRead(TablewrightError, AttributeError):
    """A field of an entity that was read from a copy without it. `field` is its name."""

    def __init__(self, entity: str, field: str) -> None:
        self.field = field
        super().__init__(
            f"this {entity} was read from a copy that lacks {field}; add {field} to the fields of the copy, "
            f"or read the {entity} by its own key"
        )


class BadCursor(TablewrightError):
    """A cursor that cannot be used: damaged, or made by another pattern, with other parameters or another version."""
