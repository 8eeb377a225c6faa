"""Allowed writes: an entity says in `writes` which writes it allows; others are rejected before anything is sent.

A put and an upsert create or update; a move deletes the entity under its old key and creates it under the new one.
"""

from collections.abc import Mapping
from typing import Any

from tablewright.access.writes.values import Create, Delete, Move, Put, Update, Upsert, Write
from tablewright.design.layouts.layouts import ALL_WRITES, Layout
from tablewright.errors import InvalidWrite

NEEDED: Mapping[type[Any], frozenset[str]] = {
    Create: frozenset(("create",)),
    Put: frozenset(("create", "update")),
    Update: frozenset(("update",)),
    Upsert: frozenset(("create", "update")),
    Delete: frozenset(("delete",)),
    Move: frozenset(("create", "delete")),
}
"""What each kind of write needs; checks need nothing."""


def require_allowed(layout: Layout, write: Write) -> None:
    """Raise InvalidWrite if the entity does not allow a write."""
    if layout.writes is ALL_WRITES:
        return
    missing = NEEDED.get(type(write), frozenset()) - layout.writes
    if missing:
        name, kind = layout.entity.__name__, type(write).__name__
        raise InvalidWrite(
            f"{kind} of {name} is not allowed: the class has writes={shown(layout.writes)}; "
            f"add {shown(missing)} to allow it{_instead(kind, layout)}"
        )


def require_batch_allowed(layout: Layout, write: Write) -> None:
    """Raise InvalidWrite if the entity does not allow a write, or allows no deletes: batches cannot exclude them."""
    require_allowed(layout, write)
    if "delete" not in layout.writes:
        raise InvalidWrite(
            f"{layout.entity.__name__} has writes={shown(layout.writes)}, and the right to write batches includes "
            "deleting; write it with create, put or transact"
        )


def shown(writes: frozenset[str]) -> str:
    """Writes as the class declares them.

    >>> shown(frozenset(("delete", "create")))
    '{"create", "delete"}'
    """
    return "{" + ", ".join(f'"{each}"' for each in ("create", "update", "delete") if each in writes) + "}"


def _instead(kind: str, layout: Layout) -> str:
    return ", or use create" if kind in ("Put", "Upsert") and "create" in layout.writes else ""
