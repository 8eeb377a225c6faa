"""Exports: a table, or its changes between two points in time, as files in a bucket."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="exports",
    needs=("backups",),
    operations={
        "DescribeExport": "table_exports",
        "ExportTableToPointInTime": "export_table_to_point_in_time",
        "ListExports": "table_exports",
    },
    jobs={"export": "export_job"},
    records=("export",),
)
