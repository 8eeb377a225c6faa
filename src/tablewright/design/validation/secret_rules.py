"""Rules for secret fields: where a secret cannot work, or would be shown.

Encrypting a value twice gives two different ciphertexts, so an encrypted field can be neither looked up nor counted.
A ciphertext decrypts only together with the values it is bound to. A secret may be unique: its lock contains its hash.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tablewright.design.fields.markers import Counter, Encrypted, Hashed, Ttl, Unique, Version
from tablewright.design.layouts.layouts import CopyLayout, FieldLayout, KeyLayout
from tablewright.design.problems import Problems
from tablewright.design.tables import Table

_NEVER_ENCRYPTED = (Hashed, Ttl, Counter, Version)


def check_secrets(
    entity: str,
    table: Table,
    fields: Mapping[str, FieldLayout],
    keys: Iterable[KeyLayout],
    copies: Sequence[CopyLayout],
    problems: Problems,
) -> None:
    """Report secrets where they cannot work or would be shown."""
    used_in_keys = {name for key in keys for name in key.names}
    for field in fields.values():
        encrypted: Encrypted | None = field.marker(Encrypted)
        unique: Unique | None = field.marker(Unique)
        reasons: list[tuple[str, str]] = []
        if encrypted is not None:
            reasons += _in_itself(field, fields, encrypted, used_in_keys)
            reasons += _in_copies(table, field, fields, encrypted, copies)
        if unique is not None and unique.normalise is not None and field.is_secret:
            late = "is a secret, so its lock contains the hash of the given value: Unique(normalise=...) has no effect"
            reasons.append((late, "normalise it with a Pydantic validator"))
        if unique is not None:
            reasons += _in_lock(field, fields, unique)
        for why, fix in reasons:
            problems.add("TW503", f"{entity}.{field.name}", why, fix)


def _in_itself(
    field: FieldLayout,
    fields: Mapping[str, FieldLayout],
    encrypted: Encrypted,
    used_in_keys: set[str],
) -> Iterator[tuple[str, str]]:
    """Problems of an encrypted field by itself: what is wrong, and the fix."""
    others = [type(marker).__name__ for marker in field.markers if isinstance(marker, _NEVER_ENCRYPTED)]
    if others:
        yield (
            f"is Encrypted and {others[0]}, but a ciphertext can be neither looked up nor counted",
            "remove one of the two markers",
        )
    if field.name in used_in_keys:
        yield "is Encrypted and part of a key: keys are stored as plain text", "use Hashed"
    for name in encrypted.context:
        bound = fields.get(name)
        if bound is not None and bound.is_secret:
            yield f"is bound to {name}, which is a secret too", "bind it to a field that is no secret"


def _in_lock(
    field: FieldLayout, fields: Mapping[str, FieldLayout], unique: Unique
) -> Iterator[tuple[str, str]]:
    """Problems of a lock whose key contains another field that is encrypted: what is wrong, and the fix."""
    for name in dict.fromkeys(unique.scope):
        other = fields.get(name)
        if other is not None and other is not field and other.marker(Encrypted):
            yield f"is Unique, and its lock would show {name}, which is Encrypted", f"use Hashed for {name}"


def _in_copies(
    table: Table,
    field: FieldLayout,
    fields: Mapping[str, FieldLayout],
    encrypted: Encrypted,
    copies: Iterable[CopyLayout],
) -> Iterator[tuple[str, str]]:
    """Problems of an encrypted field in copies: what is wrong, and the fix."""
    for copy in copies:
        carried = fields.keys() if copy.copy.fields is None else set(copy.copy.fields)
        if field.name not in carried:
            continue
        for name in encrypted.context:
            lacks = name not in carried or name not in fields or fields[name].stored in table.key_attributes
            if lacks:
                yield (
                    f"is in the copy {copy.name} without {name}, which it is bound to",
                    f"remove {field.name} from Copy(fields=...)",
                )
