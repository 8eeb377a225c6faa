"""A primary key contains a value that changes.

A primary key cannot be updated: changing it means deleting the item and writing another in one transaction, and readers
with the old key no longer find the item. Use values in the key that never change, and index those that do.

Counters, versions and `fields.touched()` always change: they are errors. A field whose name suggests change (`status`,
`last_seen_at`, `updated_at`) is a warning. If such a field never changes, declare `Field(frozen=True)`. A `state` in a
key with a `country` or a `city` is a place and not reported.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.written_keys import WrittenKey, written_keys
from tablewright.design.designs import Design
from tablewright.design.fields.markers import Counter, Version
from tablewright.design.layouts.layouts import FieldLayout

CODE = "TW103"
TITLE = "Primary key that changes"

_CHANGING = {
    *("status", "state", "stage", "phase", "progress", "percentage", "updated", "modified", "changed"),
    *("touched", "last", "current", "latest", "count", "total", "score", "balance", "priority", "rank"),
}
_PLACES = {"country", "province", "region", "county", "city", "town", "district", "postcode", "zip"}


def check(design: Design) -> Iterator[Finding]:
    """Fields of primary keys that change, certainly or judging by their names; the library moves copies itself."""
    for written in written_keys(design):
        if written.index is None and written.owner == written.layout.entity.__name__:
            for field in written.fields_in(written.key.parts):
                if (reason := _reason(written, field)) is not None:
                    yield _finding(written, field, reason)


def _reason(written: WrittenKey, field: FieldLayout) -> str | None:
    if field.automatic == "touched":
        return "changes at every write"
    if field.marker(Counter) or field.marker(Version):
        return f"is a {type(field.marker(Counter) or field.marker(Version)).__name__.lower()} and changes"
    info = written.layout.entity.model_fields.get(field.name)
    frozen = info is not None and info.frozen
    # The only field of the key identifies the entity, such as the state of an OAuth request.
    alone = written.key.names == (field.name,)
    sounds = _CHANGING & _words(field.name)
    if sounds == {"state"} and any(_PLACES & _words(name) for name in written.key.names):
        return None
    return "probably changes, judging by its name" if sounds and not (frozen or alone) else None


def _words(name: str) -> set[str]:
    return set(name.split("_"))


def _finding(written: WrittenKey, field: FieldLayout, reason: str) -> Finding:
    return Finding(
        CODE,
        "warning" if "probably" in reason else "error",
        f"{written.owner}.{field.name}",
        f"{written.owner} has the primary key {written} with {field.name}, which {reason}",
        f"use fields that never change, and index {field.name}; if it never changes, declare Field(frozen=True)",
        written.layout.entity,
    )
