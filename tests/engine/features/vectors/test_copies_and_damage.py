"""Copies of tables with vector indexes (backups, recovery, exports, imports), and damage to their rows."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.salvage import salvage
from tablewright.engine.storage import open_store
from tablewright.engine.storage_check import check_storage
from tablewright.errors import ValidationError
from tests.engine.features.vectors.vector_table import (
    BY_TENANT,
    NAMED,
    create_request,
    found,
    put,
    vector_index,
)
from tests.engine.integrity import assert_indexes_match
from tests.engine.storage.damaged_files import change_rows

INDEXES = (
    BY_TENANT,
    vector_index(SearchSchema=[{"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"}]),
)
LONG_KEYS, SHORT_KEYS = "hex(substr(key, -3, 2)) = '6431'", "hex(substr(key, -2, 1)) = '64'"
"""Conditions on the stored keys of d10 to d19, and of d0 to d9."""
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}


def fill(db: Database, items: int = 20) -> None:
    db.call("CreateTable", create_request(*INDEXES))
    for number in range(items):
        put(db, f"d{number}", number, 1, 0, tenant="red", kind="even" if number % 2 == 0 else "odd")


def open_database(folder: Path) -> Database:
    (folder / "files").mkdir()
    return Database(open_store(), Clock(start=1_700_000_000), buckets=folder)


def describe(db: Database, name: str) -> dict[str, Any]:
    return db.call("DescribeTable", {"TableName": name})["Table"]  # type: ignore[no-any-return]


def assert_searchable(db: Database, name: str, items: int = 20) -> None:
    db.jobs.wait_for_all()
    assert [index["ItemCount"] for index in describe(db, name)["VectorIndexes"]] == [items] * 2
    assert found(db, 1, 0, 0, TableName=name, TopK=1) == [f"d{items - 1}"]
    assert_indexes_match(db)


def test_a_backup_has_the_vector_indexes_and_a_restore_builds_them(tmp_path: Path) -> None:
    db = open_database(tmp_path)
    fill(db)
    arn = db.call("CreateBackup", {**NAMED, "BackupName": "copy"})["BackupDetails"]["BackupArn"]
    db.jobs.wait_for_all()
    shown = db.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    assert shown["SourceTableFeatureDetails"]["VectorIndexes"] == list(INDEXES)
    restore = {"BackupArn": arn, "TargetTableName": "restored"}
    shown = db.call("RestoreTableFromBackup", restore)["TableDescription"]
    assert [index["IndexName"] for index in shown["VectorIndexes"]] == ["by-tenant", "by-vector"]
    assert_searchable(db, "restored")

    fewer = {**restore, "TargetTableName": "fewer", "VectorIndexOverride": [INDEXES[0]]}
    db.call("RestoreTableFromBackup", fewer)
    db.jobs.wait_for_all()
    assert [index["IndexName"] for index in describe(db, "fewer")["VectorIndexes"]] == ["by-tenant"]
    none = {**restore, "TargetTableName": "none", "VectorIndexOverride": []}
    db.call("RestoreTableFromBackup", none)
    db.jobs.wait_for_all()
    assert "VectorIndexes" not in describe(db, "none")
    assert [each["AttributeName"] for each in describe(db, "none")["AttributeDefinitions"]] == ["id"]

    wrong = {**restore, "TargetTableName": "wrong", "VectorIndexOverride": [vector_index(Dimensions=4)]}
    with pytest.raises(ValidationError, match="Index by-vector does not match a vector index that existed"):
        db.call("RestoreTableFromBackup", wrong)
    provisioned = {"BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": UNITS}
    with pytest.raises(ValidationError, match="only supported for PAY_PER_REQUEST tables"):
        db.call("RestoreTableFromBackup", {**restore, "TargetTableName": "wrong", **provisioned})
    db.close()


def test_a_point_in_time_has_the_vectors_of_that_time(tmp_path: Path) -> None:
    db = open_database(tmp_path)
    fill(db)
    enabled = {"PointInTimeRecoveryEnabled": True}
    db.call("UpdateContinuousBackups", {**NAMED, "PointInTimeRecoverySpecification": enabled})
    db.clock.advance(100)
    time = db.clock.now()
    db.clock.advance(100)
    for number in range(20):
        put(db, f"d{number}", -1, 0, 0, tenant="blue")
    db.clock.advance(1000)
    request = {"SourceTableName": "documents", "TargetTableName": "then", "RestoreDateTime": time}
    db.call("RestoreTableToPointInTime", request)
    assert_searchable(db, "then")
    db.close()


def test_an_exported_table_is_imported_with_vector_indexes(tmp_path: Path) -> None:
    db = open_database(tmp_path)
    fill(db)
    enabled = {"PointInTimeRecoveryEnabled": True}
    db.call("UpdateContinuousBackups", {**NAMED, "PointInTimeRecoverySpecification": enabled})
    db.clock.advance(10)
    arn = describe(db, "documents")["TableArn"]
    db.call("ExportTableToPointInTime", {"TableArn": arn, "S3Bucket": "files"})
    db.jobs.wait_for_all()
    (data,) = (tmp_path / "files").rglob("data/*.json.gz")
    wrong = b'{"Item":{"id":{"S":"wrong"},"v":{"L":[{"N":"1"}]}}}\n'
    (tmp_path / "files" / "input").mkdir()
    (tmp_path / "files" / "input" / "data.json").write_bytes(gzip.decompress(data.read_bytes()) + wrong)
    request = {
        "ClientToken": "token",
        "S3BucketSource": {"S3Bucket": "files", "S3KeyPrefix": "input/"},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": {**create_request(*INDEXES), "TableName": "imported"},
    }
    started = db.call("ImportTable", request)["ImportTableDescription"]
    assert_searchable(db, "imported")
    ended = db.call("DescribeImport", {"ImportArn": started["ImportArn"]})["ImportTableDescription"]
    assert (ended["ImportedItemCount"], ended["ErrorCount"]) == (20, 1)
    parameters = {**create_request(vector_index(Dimensions=5000)), "TableName": "another"}
    with pytest.raises(ValidationError, match="Number of dimensions must be between 1 and 4096 inclusive"):
        db.call("ImportTable", {**request, "ClientToken": "new", "TableCreationParameters": parameters})
    db.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.db"
    db = Database(open_store(path, "relaxed"))
    fill(db)
    db.close()
    return path


def spaces_of(path: Path) -> dict[str, int]:
    db = Database(open_store(path))
    spaces: dict[str, int] = db.state.catalog.table("documents").definition["Spaces"]
    db.close()
    return spaces


def rewrite(path: Path, work: Any) -> None:
    """Change rows with valid checksums."""
    store = open_store(path)
    store.write(work)
    store.close()


def test_the_storage_check_compares_vector_indexes_with_their_table(file: Path) -> None:
    assert check_storage(file).problems == []
    space = spaces_of(file)["by-tenant"]
    store = open_store(file)
    first, second, third, *_ = store.read(lambda rows: list(rows.range(space)))
    store.close()

    def change(rows: Any) -> None:
        rows.delete(space, first[0])
        body = second[1]
        body.raw = bytes(4) + body.raw[4:]
        rows.put(space, second[0], body)
        rows.put(space, third[0] + b"x", third[1])

    rewrite(file, change)
    problems = check_storage(file).problems
    assert {each.place for each in problems} == {"index 'by-tenant' of table 'documents'"}
    assert sorted(each.problem.split(",")[0] for each in problems) == [
        "has a row without an intact item in the table",
        "has another row than this item requires",
        "lacks the row of this item",
    ]
    assert all(each.key is not None for each in problems)


def test_damaged_rows_of_a_vector_index_are_named_and_salvage_writes_them_anew(file: Path) -> None:
    spaces = spaces_of(file)
    assert change_rows(file, spaces["by-vector"], "body = zeroblob(10)", LONG_KEYS) == 10
    problems = check_storage(file).problems
    assert {"index 'by-vector' of table 'documents'"} == {each.place for each in problems}
    target = file.with_name("saved.db")
    report = salvage(file, target)
    assert report.lost == []
    assert check_storage(target).problems == []
    db = Database(open_store(target))
    assert_indexes_match(db)
    assert len(found(db, 1, 0, 0, TopK=100)) == 20
    db.close()


def test_salvage_learns_the_keys_of_lost_items_from_a_vector_index(file: Path) -> None:
    """The index has no full copy: its vectors have 32 bits."""
    spaces = spaces_of(file)
    assert change_rows(file, spaces[""], "body = zeroblob(10)", SHORT_KEYS) == 10
    target = file.with_name("saved.db")
    report = salvage(file, target)
    assert report.recovered == 0
    lost = {each.key["id"]["S"] for each in report.lost if each.key is not None}
    assert lost == {f"d{number}" for number in range(10)}
    assert check_storage(target).problems == []
