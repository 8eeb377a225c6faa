"""Imports: a new table from files in a bucket."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="imports",
    operations={
        "DescribeImport": "describe_import",
        "ImportTable": "import_table",
        "ListImports": "list_imports",
    },
    jobs={"import": "import_job"},
)
