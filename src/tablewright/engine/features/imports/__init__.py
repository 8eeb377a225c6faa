"""Imports: a new table from files in a bucket."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="imports",
    operations={
        "DescribeImport": "table_imports",
        "ImportTable": "import_table",
        "ListImports": "table_imports",
    },
    jobs={"import": "import_job"},
    records=("import",),
)
