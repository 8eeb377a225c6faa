"""Backups, point-in-time recovery, and the tables restored from them."""

from collections.abc import Mapping
from typing import Any

from tablewright.engine.core.plugs import Feature
from tablewright.engine.core.sessions import QUESTIONS, Reading
from tablewright.engine.core.state.catalog import TABLE_EFFECTS, StoredTable
from tablewright.engine.core.sweeper import SWEEPS
from tablewright.engine.core.table_removal import ROW_KEEPERS
from tablewright.engine.core.tables.table_descriptions import SHOWN_ANNOUNCEMENTS
from tablewright.engine.features.backups.backups import keep_rows, sweep_backups
from tablewright.engine.features.backups.change_journal import journal_effect


def _restore_summary(table: StoredTable) -> Mapping[str, Any]:
    """What DescribeTable adds for a table that is being restored."""
    return {"RestoreSummary": table.definition["Restore"]} if "Restore" in table.definition else {}


def _item_changes(tx: Reading, *arguments: Any, **options: Any) -> Any:
    from tablewright.engine.features.backups.item_history import item_changes

    return item_changes(tx, *arguments, **options)


def _items_at(tx: Reading, *arguments: Any, **options: Any) -> Any:
    from tablewright.engine.features.backups.item_history import items_at

    return items_at(tx, *arguments, **options)


FEATURE = Feature(
    name="backups",
    operations={
        "CreateBackup": "backup_operations",
        "DeleteBackup": "backup_operations",
        "DescribeBackup": "backup_operations",
        "DescribeContinuousBackups": "point_in_time_recovery",
        "ListBackups": "backup_operations",
        "RestoreTableFromBackup": "restores",
        "RestoreTableToPointInTime": "restores",
        "UpdateContinuousBackups": "point_in_time_recovery",
    },
    jobs={"backup": "backups", "restore": "restores"},
    members=("Recovery", "Copying", "Restore"),
    found_by=("Recovery", "Copying"),
    records=("backup", "orphan"),
    parts=(
        TABLE_EFFECTS.part(journal_effect),
        ROW_KEEPERS.part(keep_rows),
        SHOWN_ANNOUNCEMENTS.part(_restore_summary),
        SWEEPS.part(sweep_backups),
        QUESTIONS.part(("item_changes", _item_changes)),
        QUESTIONS.part(("items_at", _items_at)),
    ),
)
