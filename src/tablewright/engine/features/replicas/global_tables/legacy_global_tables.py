"""Global tables of version 2017.11.29: AWS does not create them any more, so there are none.

The operations still exist: they report that the version is not supported, or that there is no such global table. Tables
with replicas of version 2019.11.21 are not found by them. See `replica_updates` for these.
"""

from tablewright.engine.core.requests.shapes import Text, required
from tablewright.engine.core.tables.table_rules import INVALID
from tablewright.errors import GlobalTableNotFound, ValidationError

GLOBAL_TABLE_NAME = required(Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"))


def version_not_supported() -> ValidationError:
    """The error for a request to create a global table, or a replica of one."""
    return ValidationError(
        f"{INVALID}DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global "
        "tables version 2019.11.21, instead of version 2017.11.29 (Legacy)."
    )


def not_found(name: str) -> GlobalTableNotFound:
    """The error for a global table by its name."""
    return GlobalTableNotFound(f"Global table with name: '{name}' does not exist.")
