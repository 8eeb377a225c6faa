"""Upcasts: how items that an older version of a class wrote become what the class is now.

    def budget_as_number(item: dict[str, Any]) -> dict[str, Any]:
        return item | {"monthlyBudget": Decimal(item["monthlyBudget"])}

    class Profile(Entity, table=profiles, schema_version=2, upcasts={1: budget_as_number}):
        ...

Each takes the attributes of one version, as plain values under their stored names, and answers with those of the next.
They are applied whenever an item is read, and what is written is always of the newest version. An item that does not
say its version is of version 1.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from tablewright.errors import DesignError

Upcast: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]


def check_upcasts(entity: str, schema_version: int | None, upcasts: Mapping[int, Upcast]) -> None:
    """Refuse upcasts from versions that never were, or that lead nowhere."""
    if upcasts and schema_version is None:
        raise DesignError(
            f"{entity} has upcasts, but no version that they lead to; say schema_version={max(upcasts) + 1}"
        )
    for version in upcasts:
        if not 1 <= version < (schema_version or 0):
            raise DesignError(
                f"{entity} is of version {schema_version} and has an upcast from version {version}; "
                "an upcast is named by the version it starts from, 1 or later, and older than the class"
            )
