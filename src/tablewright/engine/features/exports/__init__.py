"""Exports: a table, or its changes between two points in time, as files in a bucket."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="exports",
    needs=("backups",),
    operations={
        "DescribeExport": "export_table_to_point_in_time",
        "ExportTableToPointInTime": "export_table_to_point_in_time",
        "ListExports": "export_table_to_point_in_time",
    },
    jobs={"export": "export_job"},
    records=("export",),
)
