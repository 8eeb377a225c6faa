"""Attributes have names that cannot be used directly in DynamoDB expressions.

Reserved words (`status`, `name`, `ttl`, ...) and names with characters such as `#`, `.` or `-` need an alias in every
expression. This library always uses aliases; the note is for expressions written by hand, in the AWS console or in
another language.
"""

import re
from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.dynamodb.expressions.reserved_words import is_reserved

CODE = "TW601"
TITLE = "Attribute names that need an alias"

_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def check(design: Design) -> Iterator[Finding]:
    """The attribute names of each entity that need an alias."""
    for entity in design.entities:
        stored = [*(field.stored for field in entity.layout.fields.values()), *entity.layout.table.key]
        names = [name for name in dict.fromkeys(stored) if is_reserved(name) or not _BARE.fullmatch(name)]
        if names:
            yield Finding(
                CODE,
                "info",
                entity.__name__,
                f"{entity.__name__} has attributes that need an alias in expressions: {', '.join(names)}",
                "nothing to do in Python; use aliases in expressions written by hand",
                entity,
            )
