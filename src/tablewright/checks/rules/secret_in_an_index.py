"""A field that looks like a secret is copied into an index in the clear.

Every index that projects it is one more place to read it from, with a policy of its own. Encrypt or hash it, or choose
what the index projects: `Index(..., projection=["name"])`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.secret_names import clear_secrets
from tablewright.design.designs import Design

CODE = "TW502"
TITLE = "Secret in an index"


def check(design: Design) -> Iterator[Finding]:
    """Clear secrets that indexes project."""
    for entity in design.entities:
        layout = entity.layout
        for path in clear_secrets(entity):
            stored = layout.fields[path.partition(".")[0]].stored
            indexes = [key.index for key in layout.indexes if key.index]
            names = [index.name for index in indexes if index.holds(layout.table, stored)]
            if names:
                yield Finding(
                    CODE,
                    "warning",
                    f"{entity.__name__}.{path}",
                    f"{entity.__name__}.{path} looks like a secret, and is copied in the clear into {', '.join(names)}",
                    f"encrypt it, or leave {stored} out of the projection",
                    entity,
                )
