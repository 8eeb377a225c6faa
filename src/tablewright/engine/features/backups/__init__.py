"""Backups, point-in-time recovery, and the tables restored from them."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="backups",
    operations={
        "CreateBackup": "create_backup",
        "DeleteBackup": "delete_backup",
        "DescribeBackup": "describe_backup",
        "DescribeContinuousBackups": "describe_continuous_backups",
        "ListBackups": "list_backups",
        "RestoreTableFromBackup": "restore_table_from_backup",
        "RestoreTableToPointInTime": "restore_table_to_point_in_time",
        "UpdateContinuousBackups": "update_continuous_backups",
    },
    jobs={"backup": "backups", "restore": "restores"},
)
