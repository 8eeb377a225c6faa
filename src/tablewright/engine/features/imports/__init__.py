"""Imports: a new table from files in a bucket."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="imports",
    operations={
        "DescribeImport": "import_table",
        "ImportTable": "import_table",
        "ListImports": "import_table",
    },
    jobs={"import": "import_job"},
    records=("import",),
)
