"""Upcasts: functions that convert items of an older schema version to the current one.

    def budget_as_number(item: dict[str, Any]) -> dict[str, Any]:
        return item | {"monthlyBudget": Decimal(item["monthlyBudget"])}

    class Profile(Entity, table=profiles, schema_version=2, upcasts={1: budget_as_number}):
        ...

Each takes the attributes of one version, as plain values under their stored names, and returns those of the next
version. Upcasts are applied whenever an item is read; writes always use the newest version. An item without a schema
version is of version 1.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from tablewright.errors import DesignError

Upcast: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]


def check_upcasts(entity: str, schema_version: int | None, upcasts: Mapping[int, Upcast]) -> None:
    """Reject upcasts without a schema version, and upcasts from a version outside 1 to the current one."""
    if upcasts and schema_version is None:
        raise DesignError(
            f"{entity} has upcasts, but no schema version; add schema_version={max(upcasts) + 1}"
        )
    for version in upcasts:
        if not 1 <= version < (schema_version or 0):
            raise DesignError(
                f"{entity} has schema_version={schema_version} and an upcast from version {version}; "
                "an upcast starts from version 1 or later, and from a version older than the class"
            )
