"""Secrecy: what an entity with secret fields cannot ask for, found when its class is defined.

A ciphertext is different every time it is made, so nothing can be found or counted by it; and it opens only where the
values it is bound to are known. A secret may be unique: its lock is made of its hash.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from tablewright.design.fields.markers import Counter, Encrypted, Hashed, Ttl, Unique, Version
from tablewright.design.tables.tables import Table

if TYPE_CHECKING:
    from tablewright.design.layouts.layouts import CopyLayout, FieldLayout, KeyLayout
    from tablewright.design.validation.problems import Complaints

MASK = "***"

_NEVER_ENCRYPTED = (Hashed, Ttl, Counter, Version)


def masked(
    secrets: frozenset[str], arguments: Iterable[tuple[str | None, Any]]
) -> list[tuple[str | None, Any]]:
    """The arguments of a repr, with a mask in the place of every secret."""
    return [(name, MASK if name in secrets and value is not None else value) for name, value in arguments]


def masked_values(secrets: frozenset[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by their names, to be shown: with a mask in the place of every secret."""
    return dict(masked(secrets, values.items()))  # type: ignore[arg-type]


def hide_input(model: type[BaseModel]) -> None:
    """Keep the values that a model refuses out of its errors."""
    model.model_config["hide_input_in_errors"] = True
    model.model_rebuild(force=True)


def check_secrecy(
    entity: str,
    table: Table,
    fields: "Mapping[str, FieldLayout]",
    keys: "Iterable[KeyLayout]",
    copies: "Sequence[CopyLayout]",
    complaints: "Complaints",
) -> None:
    """Refuse secrets where they cannot work or would show."""
    used_in_keys = {name for key in keys for name in key.names}
    for field in fields.values():
        encrypted: Encrypted | None = field.marker(Encrypted)
        unique: Unique | None = field.marker(Unique)
        problems: list[tuple[str, str]] = []
        if encrypted is not None:
            problems += _in_itself(field, fields, encrypted, used_in_keys)
            problems += _in_copies(table, field, fields, encrypted, copies)
        if unique is not None and unique.normalise is not None and field.is_secret:
            late = "is hashed for its lock as it is given: Unique(normalise=...) comes too late"
            problems.append((late, "normalise it with a Pydantic validator"))
        for why, fix in problems:
            complaints.add("TW503", f"{entity}.{field.name}", why, fix)


def _in_itself(
    field: "FieldLayout",
    fields: "Mapping[str, FieldLayout]",
    encrypted: Encrypted,
    used_in_keys: set[str],
) -> Iterator[tuple[str, str]]:
    """What is wrong with an encrypted field, and the fix."""
    others = [type(marker).__name__ for marker in field.markers if isinstance(marker, _NEVER_ENCRYPTED)]
    if others:
        yield (
            f"is Encrypted and {others[0]}, but a ciphertext can be neither found nor counted",
            "keep one of the two",
        )
    if field.name in used_in_keys:
        yield "is Encrypted, and a key is made of it: keys are stored in the clear", "use Hashed"
    for name in encrypted.context:
        bound = fields.get(name)
        if bound is not None and bound.is_secret:
            yield f"is bound to {name}, a secret itself", "bind it to a plain field"


def _in_copies(
    table: Table,
    field: "FieldLayout",
    fields: "Mapping[str, FieldLayout]",
    encrypted: Encrypted,
    copies: "Iterable[CopyLayout]",
) -> Iterator[tuple[str, str]]:
    """What copies would do to it, and the fix."""
    for copy in copies:
        carried = fields.keys() if copy.copy.fields is None else set(copy.copy.fields)
        if field.name not in carried:
            continue
        for name in encrypted.context:
            lacks = name not in carried or name not in fields or fields[name].stored in table.key_attributes
            if lacks:
                yield (
                    f"is carried by the copy {copy.name} without {name}, which it is bound to",
                    f"leave {field.name} out of Copy(fields=...)",
                )
