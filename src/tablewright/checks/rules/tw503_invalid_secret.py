"""A secret field is used in a way that cannot work.

Encrypting a value twice gives two different ciphertexts: an encrypted field cannot be part of a key and cannot be
counted. It decrypts only together with the values it is bound to, also in a copy. To look up items by a secret value,
use `Hashed`. Such a class raises `DesignError` when the class is defined; for tables declared with `literal=True` it is
reported here.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, recorded_problems
from tablewright.design.designs import Design

CODE = "TW503"
TITLE = "Secret that cannot work"


def check(design: Design) -> Iterator[Finding]:
    """Problems that were recorded when the classes were defined."""
    return recorded_problems(design, CODE)
