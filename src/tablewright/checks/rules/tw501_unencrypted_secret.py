"""A field that looks like a secret is stored as plain text.

Anyone who can read the table, a backup, an export or a stream can read it. `Encrypted` encrypts it with its own key and
binds it to its item; `Hashed` stores only a hash to compare with.

    refresh_token: Annotated[str, fields.Hashed()]
    credentials: Annotated[Credentials, fields.Encrypted(context=("account_id",))]
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.secret_names import plain_secrets
from tablewright.design.designs import Design

CODE = "TW501"
TITLE = "Unencrypted secret"


def check(design: Design) -> Iterator[Finding]:
    """Fields, also of nested models, that look like secrets and are neither encrypted nor hashed."""
    for entity in design.entities:
        for path in plain_secrets(entity):
            yield Finding(
                CODE,
                "warning",
                f"{entity.__name__}.{path}",
                f"{entity.__name__}.{path} looks like a secret and is stored as plain text",
                "Annotated[..., fields.Encrypted()], or fields.Hashed() if it is only compared",
                entity,
            )
