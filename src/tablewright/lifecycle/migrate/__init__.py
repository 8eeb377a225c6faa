"""Migrations: named, ordered, reversible changes of stored items, and running them.

from tablewright import migrations

budgets = migrations.Migration("2026-11-budget-as-number", UserProfile, up=number, down=text)

migrations.migrate(db)                  apply the pending migrations, in the order of the design
migrations.migrate(db, down=True)       revert the last one
migrations.status(db)                   list which migrations are applied and which are pending
"""

from tablewright.design.entities.migrations import DELETE, Migration, Removal, View
from tablewright.lifecycle.migrate.migration_run import (
    MigrationProgress,
    MigrationStatus,
    Result,
    migrate,
    rejects,
    retry,
    status,
)
from tablewright.lifecycle.migrate.planning_choice import Processes

__all__ = [
    "DELETE",
    "Migration",
    "MigrationProgress",
    "MigrationStatus",
    "Processes",
    "Removal",
    "Result",
    "View",
    "migrate",
    "rejects",
    "retry",
    "status",
]
