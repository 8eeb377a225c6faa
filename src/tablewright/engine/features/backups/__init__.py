"""Backups, point-in-time recovery, and the tables restored from them."""

from tablewright.engine.core.plugs import Feature
from tablewright.engine.core.sessions import QUESTIONS
from tablewright.engine.core.state.catalog import TABLE_EFFECTS
from tablewright.engine.core.sweeper import SWEEPS
from tablewright.engine.core.table_removal import ROW_KEEPERS
from tablewright.engine.core.tables.table_descriptions import SHOWN_ANNOUNCEMENTS
from tablewright.engine.features.backups.backups import keep_rows, sweep_backups
from tablewright.engine.features.backups.change_journal import journal_effect
from tablewright.engine.features.backups.item_history import item_changes, items_at
from tablewright.engine.features.backups.restores import restore_summary

FEATURE = Feature(
    name="backups",
    operations={
        "CreateBackup": "backup_operations",
        "DeleteBackup": "backup_operations",
        "DescribeBackup": "backup_operations",
        "DescribeContinuousBackups": "continuous_backups",
        "ListBackups": "backup_operations",
        "RestoreTableFromBackup": "restore_operations",
        "RestoreTableToPointInTime": "restore_operations",
        "UpdateContinuousBackups": "continuous_backups",
    },
    jobs={"backup": "backups", "restore": "restores"},
    members=("Recovery", "Copying", "Restore"),
    found_by=("Recovery", "Copying"),
    records=("backup", "orphan"),
    parts=(
        TABLE_EFFECTS.part(journal_effect),
        ROW_KEEPERS.part(keep_rows),
        SHOWN_ANNOUNCEMENTS.part(restore_summary),
        SWEEPS.part(sweep_backups),
        QUESTIONS.part(("item_changes", item_changes)),
        QUESTIONS.part(("items_at", items_at)),
    ),
)
