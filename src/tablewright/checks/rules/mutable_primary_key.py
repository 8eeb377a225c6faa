"""A primary key is made of a value that changes.

A primary key cannot be updated: to change it is to delete the item and write another, in one transaction, and whoever
still holds the old key finds nothing. Make the key of what never changes, and index what does.

Counters, versions and `fields.touched()` change by their nature, and are errors; for a name that sounds like change
(`status`, `last_seen_at`, `updated_at`) it is a warning. Say that a field does not change with `Field(frozen=True)`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.written_keys import WrittenKey, written_keys
from tablewright.design.designs import Design
from tablewright.design.fields.markers import Counter, Version
from tablewright.design.layouts.layouts import FieldLayout

CODE = "TW103"
TITLE = "Primary key of a value that changes"

_CHANGING = {
    *("status", "state", "stage", "phase", "progress", "percentage", "updated", "modified", "changed"),
    *("touched", "last", "current", "latest", "count", "total", "score", "balance", "priority", "rank"),
}


def check(design: Design) -> Iterator[Finding]:
    """Fields of primary keys that change, surely or by their name; copies are moved by the library."""
    for written in written_keys(design):
        if written.index is None and written.owner == written.layout.entity.__name__:
            for field in written.fields_in(written.key.parts):
                if (reason := _reason(written, field)) is not None:
                    yield _finding(written, field, reason)


def _reason(written: WrittenKey, field: FieldLayout) -> str | None:
    if field.automatic == "touched":
        return "changes at every write"
    if field.marker(Counter) or field.marker(Version):
        return f"is a {type(field.marker(Counter) or field.marker(Version)).__name__.lower()}, and changes"
    info = written.layout.entity.model_fields.get(field.name)
    frozen = info is not None and info.frozen
    alone = written.key.names == (
        field.name,
    )  # all that tells the entity, such as the state of an OAuth request
    sounds = _CHANGING & set(field.name.split("_"))
    return "sounds like a value that changes" if sounds and not (frozen or alone) else None


def _finding(written: WrittenKey, field: FieldLayout, reason: str) -> Finding:
    return Finding(
        CODE,
        "warning" if "sounds" in reason else "error",
        f"{written.owner}.{field.name}",
        f"{written.owner} makes its primary key {written} of {field.name}, which {reason}",
        f"make the key of what stays, and index {field.name}; if it stays, Field(frozen=True)",
        written.layout.entity,
    )
