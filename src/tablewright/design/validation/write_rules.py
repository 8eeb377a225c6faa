"""Rules for `writes`: which writes an entity allows.

    class AuditEntry(Entity, table=main, type="AUDIT", writes={"create"}):
        ...

Create an entity, update one that exists, delete one. A write that an entity does not allow is rejected by the typed
API, and policies for IAM do not grant it.
"""

from collections.abc import Collection, Iterable
from typing import Any

from tablewright.design.fields.markers import Counter
from tablewright.design.layouts.layouts import ALL_WRITES, FieldLayout
from tablewright.design.nearest_names import suggestion
from tablewright.errors import DesignError


def checked_writes(name: str, given: Collection[str] | None, fields: Iterable[FieldLayout]) -> frozenset[str]:
    """The writes that an entity allows; all if none are given."""
    if given is None:
        return ALL_WRITES
    writes: Any = given
    if isinstance(writes, str) or not isinstance(writes, Collection):
        raise DesignError(f'{name} has writes={writes!r}; give a set: writes={{"create"}}')
    for each in writes:
        if each not in ALL_WRITES:
            hint = suggestion(str(each), sorted(ALL_WRITES), "the writes are")
            raise DesignError(f"{name} has writes with {each!r}; {hint}")
    if "create" not in writes:
        raise DesignError(f'{name} has writes without "create", so no item of it can exist; add "create"')
    counter = next((field.name for field in fields if field.marker(Counter)), None)
    if "update" not in writes and counter is not None:
        raise DesignError(
            f'{name}.{counter} is a counter, which only updates change; add "update" to writes, or remove Counter()'
        )
    return frozenset(writes)
