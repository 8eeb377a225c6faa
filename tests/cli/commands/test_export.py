"""`tablewright export`: to a bucket of a data file, and of a server."""

from pathlib import Path

import pytest

from tablewright import embedded
from tablewright.cli import main
from tests.cli.backup_locations import BackupLocation, create, run_json


@pytest.mark.parametrize("form", ["json", "ion"])
def test_what_is_exported_can_be_imported(
    backup_location: BackupLocation, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    on = backup_location.on
    options = ("--table", "Users", "--bucket", "archive", "--format", form, *on)
    assert main(["export", *options]) == 2
    assert "turn it on with --enable-recovery" in capsys.readouterr().err
    export = run_json(capsys, "export", *options, "--enable-recovery", "--key-prefix", f"of/{form}")
    assert (backup_location.buckets / "archive" / export["ExportManifest"]).exists()
    data = export["ExportManifest"].replace("manifest-summary.json", "data/")
    source = ("--bucket", "archive", "--key-prefix", data, "--format", form, "--compression", "gzip")
    imported = run_json(capsys, "import", *source, "--into", "Copy", "--like", "Users", *on)
    assert (imported["ImportStatus"], imported["ImportedItemCount"]) == ("COMPLETED", 2)
    assert backup_location.scan("Copy", IndexName="by-team") == ["ada", "bob"]


def test_the_manifest_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "app.db")
    with embedded(path) as db:
        create(db, "Users")
    options = ["--table", "Users", "--bucket", "archive", "--enable-recovery", "--on", path]
    assert main(["export", *options]) == 0
    assert capsys.readouterr().out.startswith("Exported 0 items to bucket archive; manifest: AWSDynamoDB/")


def test_a_missing_bucket_of_a_server(
    backup_server: BackupLocation, capsys: pytest.CaptureFixture[str]
) -> None:
    backup_server.reset()
    options = ["--table", "Users", "--bucket", "nowhere", "--enable-recovery", *backup_server.on]
    assert main(["export", *options]) == 1
    assert "export failed: The specified bucket does not exist" in capsys.readouterr().out


def test_a_period_before_the_table_existed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "app.db")
    with embedded(path) as db:
        create(db, "Users")
    options = ["--table", "Users", "--bucket", "archive", "--enable-recovery", "--on", path]
    assert main(["export", *options, "--since", "2001-01-01T00:00:00"]) == 2
    assert "from time cannot be less than the table creation time" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--until", "2026-01-01"], "--until needs --since"),
        (["--since", "1", "--at", "2"], "--at and --since cannot be combined"),
    ],
)
def test_invalid_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--table", "T", "--bucket", "b", *options]) == 2
    output = capsys.readouterr()
    assert message in output.err
    assert (output.out, output.err.count("\n")) == ("", 1)


def test_a_table_with_a_vector_index_is_imported_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "app.db")
    index = {
        "IndexName": "by-vector",
        "VectorAttribute": {"AttributeName": "v"},
        "Dimensions": 2,
        "DistanceFunction": "COSINE",
        "Projection": {"ProjectionType": "ALL"},
        "SearchSchema": [{"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"}],
    }
    with embedded(path) as db:
        db.call(
            "CreateTable",
            {
                "TableName": "documents",
                "BillingMode": "PAY_PER_REQUEST",
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [
                    {"AttributeName": name, "AttributeType": "S"} for name in ("id", "kind")
                ],
                "VectorIndexes": [index],
            },
        )
        item = {"id": {"S": "a"}, "kind": {"S": "memo"}, "v": {"L": [{"N": "1"}, {"N": "2"}]}}
        db.call("PutItem", {"TableName": "documents", "Item": item})
    options = ("--table", "documents", "--bucket", "archive", "--on", path)
    export = run_json(capsys, "export", *options, "--enable-recovery")
    data = export["ExportManifest"].replace("manifest-summary.json", "data/")
    source = ("--bucket", "archive", "--key-prefix", data, "--compression", "gzip")
    run_json(capsys, "import", *source, "--into", "copied", "--like", "documents", "--on", path)
    with embedded(path) as db:
        (shown,) = db.call("DescribeTable", {"TableName": "copied"})["Table"]["VectorIndexes"]
    assert (shown["SearchSchema"], shown["ItemCount"]) == (index["SearchSchema"], 1)
