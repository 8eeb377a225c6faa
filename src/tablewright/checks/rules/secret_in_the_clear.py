"""A field that looks like a secret is stored in the clear.

Whoever reads the table, a backup, an export or a stream reads it. `Encrypted` seals it under a key of its own and binds
it to its item; `Hashed` keeps only what is needed to recognise it.

    refresh_token: Annotated[str, fields.Hashed()]
    credentials: Annotated[Credentials, fields.Encrypted(context=("account_id",))]
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.secret_names import clear_secrets
from tablewright.design.designs import Design

CODE = "TW501"
TITLE = "Secret in the clear"


def check(design: Design) -> Iterator[Finding]:
    """Fields, also of nested models, that sound like secrets and are neither encrypted nor hashed."""
    for entity in design.entities:
        for path in clear_secrets(entity):
            yield Finding(
                CODE,
                "warning",
                f"{entity.__name__}.{path}",
                f"{entity.__name__}.{path} looks like a secret, and is stored in the clear",
                "Annotated[..., fields.Encrypted()], or fields.Hashed() where it is only compared",
                entity,
            )
