"""A reference does not lead to its target.

A field with `References` must be enough to read its target: with other fields of its entity it contains the primary key
of the target, or a value with a lock. Otherwise `fsck` cannot tell whether the target exists, the console has no link,
and a program that follows the reference needs a scan.

    class Comment(Entity, table=main, type="COMMENT"):
        board_id: str                                        # the key of Task is made of board_id and task_id
        task_id: Annotated[str, fields.References(Task)]

    class User(Entity, table=main, type="USER"):
        email: Annotated[str, fields.Unique()]               # followed by References(User, field="email")
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design

CODE = "TW007"
TITLE = "Reference that does not lead to its target"


def check(design: Design) -> Iterator[Finding]:
    """References without the fields that identify their target."""
    for reference in design.references:
        if reference.problem:
            why = f"{reference.name} refers to {reference.target.__name__}, but {reference.problem}"
            yield Finding(CODE, "warning", reference.name, why, reference.fix, reference.entity)
