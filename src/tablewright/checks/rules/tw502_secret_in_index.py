"""A field that looks like a secret is copied into an index as plain text.

Every index that projects it is another place to read it from, with its own access policy. Encrypt or hash the field, or
select what the index projects: `Index(..., projection=["name"])`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.secret_names import plain_secrets
from tablewright.design.designs import Design

CODE = "TW502"
TITLE = "Secret in an index"


def check(design: Design) -> Iterator[Finding]:
    """Unencrypted secrets that indexes project."""
    for entity in design.entities:
        layout = entity.layout
        for path in plain_secrets(entity):
            stored = layout.fields[path.partition(".")[0]].stored
            indexes = [key.index for key in layout.indexes if key.index]
            names = [index.name for index in indexes if index.holds(layout.table, stored)]
            if names:
                yield Finding(
                    CODE,
                    "warning",
                    f"{entity.__name__}.{path}",
                    f"{entity.__name__}.{path} looks like a secret and is copied as plain text into {', '.join(names)}",
                    f"encrypt it, or remove {stored} from the projection",
                    entity,
                )
