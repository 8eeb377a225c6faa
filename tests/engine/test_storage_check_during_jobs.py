"""Storage check and salvage of a file whose process was killed while a job ran: unfinished work is not damage."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.connections import Embedded, embedded
from tablewright.engine.core.jobs.job_runner import Job
from tablewright.engine.core.state import row_batches
from tablewright.engine.salvage import salvage
from tablewright.engine.storage_check import check_storage
from tests.engine.order_table import ORDERS

pytestmark = pytest.mark.figure

ITEMS = 18


def key(number: int) -> dict[str, Any]:
    return {"pk": {"S": f"p{number % 3}"}, "sk": {"N": str(number)}}


@pytest.fixture
def copies(tmp_path: Path, db: Embedded, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Copies of the file after each transaction of a job, as a kill would leave it; jobs work in small batches.

    The jobs that continue in a copy make no copies.
    """
    monkeypatch.setattr(row_batches, "MAX_ROWS", 7)
    made: list[Path] = []
    write = Job.write

    def write_and_copy(job: Job, work: Callable[[Any], Any]) -> Any:
        result = write(job, work)
        if job.state is not db._open().state:
            return result
        copy = tmp_path / f"killed-{len(made)}" / "data.db"
        copy.parent.mkdir()
        for ending in ("", "-wal"):
            file = tmp_path / f"data.db{ending}"
            if file.exists():
                shutil.copyfile(file, f"{copy}{ending}")
        made.append(copy)
        return result

    monkeypatch.setattr(Job, "write", write_and_copy)
    return made


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Embedded]:
    with embedded(tmp_path / "data.db", durability="relaxed") as db:
        db.call("CreateTable", ORDERS)
        for number in range(ITEMS):
            item = {**key(number), "team": {"S": "red"}, "rank": {"N": "1"}, "other": {"S": f"o{number}"}}
            db.call("PutItem", {"TableName": "orders", "Item": item})
        yield db


def build(db: Embedded) -> None:
    projection = {"ProjectionType": "ALL"}
    keys = [{"AttributeName": "other", "KeyType": "HASH"}]
    create = {"IndexName": "by-other", "KeySchema": keys, "Projection": projection}
    other = {"AttributeName": "other", "AttributeType": "S"}
    request = {"TableName": "orders", "GlobalSecondaryIndexUpdates": [{"Create": create}]}
    db.call("UpdateTable", {**request, "AttributeDefinitions": [*ORDERS["AttributeDefinitions"], other]})


def delete_index(db: Embedded) -> None:
    deletion = {"Delete": {"IndexName": "by-team"}}
    db.call("UpdateTable", {"TableName": "orders", "GlobalSecondaryIndexUpdates": [deletion]})


def delete_table(db: Embedded) -> None:
    db.call("CreateTable", {**ORDERS, "TableName": "kept"})
    db.call("PutItem", {"TableName": "kept", "Item": key(1)})
    db.call("DeleteTable", {"TableName": "orders"})


def back_up(db: Embedded) -> None:
    db.call("CreateBackup", {"TableName": "orders", "BackupName": "first"})


def restore(db: Embedded) -> None:
    back_up(db)
    (backup,) = db.call("ListBackups", {})["BackupSummaries"]
    db.call("RestoreTableFromBackup", {"TargetTableName": "again", "BackupArn": backup["BackupArn"]})


def import_table(db: Embedded) -> None:
    """Import items into another table. A copy of the file has no bucket: there the import fails, and its rows go."""
    assert db.path is not None
    folder = db.path.with_name("data.db.buckets") / "files"
    folder.mkdir(parents=True)
    items = [{"Item": {**key(number), "team": {"S": "red"}, "rank": {"N": "1"}}} for number in range(ITEMS)]
    (folder / "items.json").write_text("".join(json.dumps(each) + "\n" for each in items))
    parameters = {name: value for name, value in ORDERS.items() if name != "LocalSecondaryIndexes"}
    request = {
        "ClientToken": "again",
        "S3BucketSource": {"S3Bucket": "files"},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": {**parameters, "TableName": "again"},
    }
    db.call("ImportTable", request)


WORK = {
    "index built": build,
    "index deleted": delete_index,
    "table deleted": delete_table,
    "backup": back_up,
    "restore": restore,
    "import": import_table,
}

UNFINISHED = {
    "backup": {"was not complete"},
    "restore": {"was not complete", "was being created; create it again"},
    "import": {"was not complete; import it again"},
}


@pytest.mark.figure
@pytest.mark.parametrize("work", WORK)
def test_a_file_with_an_unfinished_job_has_no_problems(
    copies: list[Path], db: Embedded, tmp_path: Path, work: str
) -> None:
    WORK[work](db)
    db._open().jobs.wait_for_all()
    assert len(copies) >= 3, "the job has several transactions"
    tables = set(db.call("ListTables", {})["TableNames"])
    for copy in copies:
        assert check_storage(copy).problems == [], copy.parent.name
        saved = copy.with_name("saved.db")
        # A new file has no jobs, so an unfinished copy is reported as lost; its source is not.
        incomplete = {each.problem for each in salvage(copy, saved).lost}
        assert incomplete <= UNFINISHED.get(work, set())
        assert check_storage(saved).problems == []
        with embedded(copy, durability="relaxed") as again:
            again._open().jobs.wait_for_all()
            found = set(again.call("ListTables", {})["TableNames"])
            assert found in (tables, tables - {"again"})
            if "orders" in tables:
                assert again.call("Scan", {"TableName": "orders", "Select": "COUNT"})["Count"] == ITEMS
        assert check_storage(copy).problems == [], "after the job has finished"
