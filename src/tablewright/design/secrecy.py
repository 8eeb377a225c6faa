"""Secrecy: what an entity with secret fields cannot ask for, found when its class is defined.

A ciphertext is different every time it is made, so nothing can be found, ordered or locked by it; and it opens only
where the values it is bound to are known.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from tablewright.design.fields import Encrypted, Hashed, Unique
from tablewright.design.tables import Table
from tablewright.errors import DesignError

if TYPE_CHECKING:
    from tablewright.design.layouts import CopyLayout, FieldLayout, KeyLayout

MASK = "***"


def masked(
    secrets: frozenset[str], arguments: Iterable[tuple[str | None, Any]]
) -> list[tuple[str | None, Any]]:
    """The arguments of a repr, with a mask in the place of every secret."""
    return [(name, MASK if name in secrets and value is not None else value) for name, value in arguments]


def hide_input(model: type[BaseModel]) -> None:
    """Keep the values that a model refuses out of its errors."""
    model.model_config["hide_input_in_errors"] = True
    model.model_rebuild(force=True)


def check_secrecy(
    entity: str,
    table: Table,
    fields: "Mapping[str, FieldLayout]",
    keys: "Iterable[KeyLayout]",
    copies: "Iterable[CopyLayout]",
) -> None:
    """Refuse secrets where they cannot work or would show."""
    used_in_keys = {name for key in keys for name in key.names}
    for field in fields.values():
        encrypted: Encrypted | None = field.marker(Encrypted)
        if encrypted is not None:
            _check_encrypted(entity, field, fields, encrypted, used_in_keys)
            _check_copies(entity, table, field, fields, encrypted, copies)
        unique: Unique | None = field.marker(Unique)
        if unique is not None and unique.normalise is not None and field.marker(Hashed):
            raise DesignError(
                f"{entity}.{field.name} is hashed as it is given, so Unique(normalise=...) comes too late; "
                "normalise it with a Pydantic validator"
            )


def _check_encrypted(
    entity: str,
    field: "FieldLayout",
    fields: "Mapping[str, FieldLayout]",
    encrypted: Encrypted,
    used_in_keys: set[str],
) -> None:
    others = [type(marker).__name__ for marker in field.markers if marker is not encrypted]
    if others:
        raise DesignError(
            f"{entity}.{field.name} is Encrypted and {others[0]}, and its ciphertext is different every time; "
            "keep one, or use Hashed to find it by its value"
        )
    if field.name in used_in_keys:
        raise DesignError(
            f"{entity} makes a key of {field.name}, which is Encrypted: keys are stored in the clear; use Hashed"
        )
    for name in encrypted.context:
        bound = fields.get(name)
        if bound is not None and bound.is_secret:
            raise DesignError(
                f"{entity}.{field.name} is bound to {name}, a secret itself; bind it to a plain field"
            )


def _check_copies(
    entity: str,
    table: Table,
    field: "FieldLayout",
    fields: "Mapping[str, FieldLayout]",
    encrypted: Encrypted,
    copies: "Iterable[CopyLayout]",
) -> None:
    for copy in copies:
        carried = fields.keys() if copy.copy.fields is None else set(copy.copy.fields)
        if field.name not in carried:
            continue
        for name in encrypted.context:
            if name not in carried or fields[name].stored in table.key_attributes:
                raise DesignError(
                    f"the copy {entity}.{copy.name} carries {field.name} but not {name}, which it is bound to; "
                    f"leave {field.name} out of Copy(fields=...)"
                )
