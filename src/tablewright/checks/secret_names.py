"""Secret names: fields that look like secrets and are stored as plain text."""

import re
from collections.abc import Iterator

from tablewright.design.entities.entities import Entity
from tablewright.design.fields.annotations import nested_fields
from tablewright.design.fields.markers import Encrypted, Hashed
from tablewright.design.layouts.field_values import allowed_values

_SECRET = re.compile(
    r"(^|_)(passwords?|passwd|passphrase|secrets?|credentials?|api_?keys?|(private|access|signing)_keys?|tokens?|otp|"
    r"cvv|cvc|ssn|card_number|passport_number)$"
)
_PROTECTED = re.compile(r"^(encrypted|hashed|sealed|masked)_|_(hash|digest|ciphertext)$")


def plain_secrets(entity: type[Entity]) -> Iterator[str]:
    """The paths of fields that look like secrets and are not marked, without the fields inside them."""
    marked = tuple(field.name for kind in (Encrypted, Hashed) for field, _ in entity.layout.marked(kind))
    covered = [f"{name}." for name in marked]
    for path, annotation, _ in nested_fields(entity):
        name = path.rpartition(".")[2]
        if path in marked or path.startswith(tuple(covered)) or annotation in (int, float):
            continue
        if looks_secret(name) and allowed_values(annotation) is None:
            covered.append(f"{path}.")
            yield path


def looks_secret(name: str) -> bool:
    """Whether a name looks like that of a secret.

    >>> [looks_secret(name) for name in ("mfa_secret", "accessToken", "token_family", "password_hash")]
    [True, True, False, False]
    """
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return bool(_SECRET.search(snake)) and not _PROTECTED.search(snake)
