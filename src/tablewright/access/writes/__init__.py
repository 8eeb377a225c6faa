"""Writes, as values to pass to `transact`: `writes.Create(user)`, `writes.Add(RoleById(role_id="r1"), seats=-1)`."""

from tablewright.access.otherwise import Otherwise
from tablewright.access.writes.flow_retries import retrying
from tablewright.access.writes.values import (
    Add,
    Check,
    CheckAbsent,
    Create,
    Delete,
    DeletionReport,
    Move,
    Put,
    Target,
    Update,
    Upsert,
    When,
    Write,
    WriteOf,
)

__all__ = [
    "Add",
    "Check",
    "CheckAbsent",
    "Create",
    "Delete",
    "DeletionReport",
    "Move",
    "Otherwise",
    "Put",
    "Target",
    "Update",
    "Upsert",
    "When",
    "Write",
    "WriteOf",
    "retrying",
]
