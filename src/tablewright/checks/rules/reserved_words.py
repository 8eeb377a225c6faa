"""Attributes have names that DynamoDB's expressions do not take as they are.

Reserved words (`status`, `name`, `ttl`, ...) and names with characters such as `#`, `.` or `-` have to be aliased in
every expression. This library always does; this is for those who write expressions by hand, in a console or another
language.
"""

import re
from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.expressions.reserved_names import is_reserved

CODE = "TW601"
TITLE = "Names that need an alias"

_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def check(design: Design) -> Iterator[Finding]:
    """The names of each entity that cannot stand in an expression."""
    for entity in design.entities:
        stored = [*(field.stored for field in entity.layout.fields.values()), *entity.layout.table.key]
        names = [name for name in dict.fromkeys(stored) if is_reserved(name) or not _BARE.fullmatch(name)]
        if names:
            yield Finding(
                CODE,
                "info",
                entity.__name__,
                f"{entity.__name__} has attributes that need an alias in expressions: {', '.join(names)}",
                "nothing to do here: they are always aliased; do so in expressions written by hand",
                entity,
            )
