"""Backups: copies of tables that are kept until they are deleted or expire.

A backup has its own space with the table's items; indexes are built again by a restore. When a table with point-in-time
recovery is deleted, its space becomes a system backup that is kept for 35 days.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tablewright.dynamodb.values.vectors import vector_index_definition
from tablewright.engine.core.jobs import index_fills, job_records, row_removals
from tablewright.engine.core.jobs.backup_arns import ResourceName, arn_of, new_name, parse_name
from tablewright.engine.core.jobs.job_records import Document
from tablewright.engine.core.jobs.job_runner import new_key, schedule
from tablewright.engine.core.sessions import Reading, Sessions, Writing
from tablewright.engine.core.state.catalog import JOURNAL, StoredTable
from tablewright.engine.core.tables.table_definitions import BACKUP_DETAILS
from tablewright.engine.features.backups import row_copies
from tablewright.engine.features.backups.change_journal import (
    DAY,
    LONGEST,
    is_journaled,
    range_of,
    sweep_journals,
)
from tablewright.engine.storage import Totals
from tablewright.errors import BackupInUse, BackupNotFound

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job

_UNITS = ("ReadCapacityUnits", "WriteCapacityUnits")


def create(tx: Writing, table: StoredTable, backup: str) -> Document:
    """Save a new backup, and schedule its job."""
    name = new_name(tx.rows, "backup", table.name, tx.now())
    document = _document(tx, table, name, backup, "USER", tx.new_space())
    job_records.save(tx.rows, "backup", name.key, document)
    key = new_key(tx)
    number = row_copies.hold(tx, table, key)
    parameters = {"Table": table.id, "Source": table.space, "From": str(number), "Backup": name.key}
    schedule(tx, key, "backup", parameters)
    return document


def run(job: "Job") -> None:
    """Run the job: copy the table as it was when the backup was requested."""
    parameters = job.document

    def target(tx: Reading) -> int:
        document = job_records.find(tx.rows, "backup", parameters["Backup"])
        assert document is not None
        return int(document["Space"])

    def finish(tx: Writing) -> None:
        document = job_records.find(tx.rows, "backup", parameters["Backup"])
        assert document is not None
        document["Details"] |= {
            "BackupStatus": "AVAILABLE",
            "BackupSizeBytes": size,
        }
        job_records.save(tx.rows, "backup", parameters["Backup"], document)
        row_copies.release(tx, parameters["Table"], job.key)
        job.end(tx)

    space = job.read(target)
    index_fills.clear(job, space)
    row_copies.copy_as_of(job, parameters["Source"], space, parameters["Table"], int(parameters["From"]))
    # Concurrently with writers: no transaction changes the rows of a backup any more.
    size = job.read(lambda tx: tx.rows.totals(space)[1])
    job.write(finish)


def keep_deleted(tx: Writing, table: StoredTable) -> None:
    """Create a system backup of a table that is being deleted: it takes over the space with the items."""
    name = new_name(tx.rows, "backup", table.name, tx.now(), "0" * 8)
    document = _document(tx, table, name, f"{table.name}$DeletedTableBackup", "SYSTEM", table.space)
    document["Features"] = {}
    created = document["Details"]["BackupCreationDateTime"]
    document["Details"] |= {"BackupStatus": "AVAILABLE", "BackupExpiryDateTime": created + LONGEST * DAY}
    job_records.save(tx.rows, "backup", name.key, document)
    tx.state.sweep_timer.start()


def keep_rows(tx: Writing, table: StoredTable) -> bool:
    """Keep the items of a table that is being removed: as a backup, or while a job copies them."""
    is_copied = bool(table.definition.get("Copying"))
    if is_journaled(table.definition) and not is_copied:
        row_removals.remove_range(tx, JOURNAL, *range_of(table.id))
    if table.definition.get("Recovery"):
        keep_deleted(tx, table)
        return True
    if is_copied:
        row_copies.orphan(tx, table)
    return is_copied


def _document(
    tx: Writing, table: StoredTable, name: ResourceName, backup: str, kind: str, space: int
) -> Document:
    totals = tx.totals(table)
    return {
        "Details": {
            "BackupArn": arn_of(table.description["TableArn"], "backup", name),
            "BackupName": backup,
            "BackupSizeBytes": totals[1],
            "BackupStatus": "CREATING",
            "BackupType": kind,
            "BackupCreationDateTime": int(name.id[:14]) / 1000,
        },
        "Source": _source(table, totals),
        "Features": _features(table),
        "Description": table.description,
        "Space": space,
        "Restoring": None,
    }


def _source(table: StoredTable, totals: Totals) -> dict[str, Any]:
    description = table.description
    source = {name: description[name] for name in ("TableName", "TableId", "TableArn", "KeySchema")}
    source |= {
        "ItemCount": totals[0],
        "TableSizeBytes": totals[1],
        "TableCreationDateTime": description["CreationDateTime"],
        "ProvisionedThroughput": _units(description),
        "BillingMode": billing_mode(description),
    }
    if "OnDemandThroughput" in description:
        source["OnDemandThroughput"] = description["OnDemandThroughput"]
    return source


def billing_mode(description: dict[str, Any]) -> str:
    """The billing mode in a table description."""
    return str(description.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED"))


def _units(described: dict[str, Any]) -> dict[str, int]:
    return {name: described["ProvisionedThroughput"][name] for name in _UNITS}


def _features(table: StoredTable) -> dict[str, Any]:
    description = table.description
    features: dict[str, Any] = {}
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if member in description:
            features[member] = [_index(index) for index in description[member]]
    if "VectorIndexes" in description:
        features["VectorIndexes"] = [vector_index_definition(index) for index in description["VectorIndexes"]]
    if "StreamSpecification" in description:
        features["StreamDescription"] = description["StreamSpecification"]
    for details in BACKUP_DETAILS:
        features |= details(table)
    if "SSEDescription" in description:
        features["SSEDescription"] = description["SSEDescription"]
    return features


def _index(index: dict[str, Any]) -> dict[str, Any]:
    described = {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
    if "ProvisionedThroughput" in index:
        described["ProvisionedThroughput"] = _units(index)
    if "OnDemandThroughput" in index:
        described["OnDemandThroughput"] = index["OnDemandThroughput"]
    return described


def find(tx: Reading, arn: str) -> tuple[ResourceName, Document]:
    """The backup of an ARN; raises BackupNotFound."""
    name = parse_name(arn, "backup")
    document = job_records.find(tx.rows, "backup", name.key)
    if document is None:
        raise BackupNotFound(f"Backup not found: {arn}")
    return name, document


def require_idle(document: Document, use: str) -> None:
    """Reject the use of a backup that is being created, or from which a table is being restored."""
    arn = document["Details"]["BackupArn"]
    if document["Restoring"]:
        raise BackupInUse(f"Backup is being used to restore {use}: {arn}")
    if document["Details"]["BackupStatus"] == "CREATING":
        raise BackupInUse(f"Backup is being created: {arn}")


def show(document: Document) -> dict[str, Any]:
    """The `BackupDescription` member."""
    return {
        "BackupDetails": document["Details"],
        "SourceTableDetails": document["Source"],
        "SourceTableFeatureDetails": document["Features"],
    }


def drop(tx: Writing, name: ResourceName, document: Document) -> None:
    """Delete a backup, with its items."""
    row_removals.remove_spaces(tx, [document["Space"]])
    job_records.remove(tx.rows, "backup", name.key)


def sweep_backups(sessions: Sessions, limit: int | None) -> int:
    """Delete aged journals and expired backups, as a part of the sweeper; no item of a table is deleted."""
    sweep_journals(sessions)
    while sessions.read(has_expired):
        sessions.write(drop_expired)
    return 0


def has_expired(tx: Reading) -> bool:
    """Whether a backup has expired."""
    return any(True for _ in _expired(tx))


def drop_expired(tx: Writing) -> None:
    """Delete one expired backup."""
    expired = next(_expired(tx), None)
    if expired is not None:
        key, document = expired
        row_removals.remove_spaces(tx, [document["Space"]])
        job_records.remove(tx.rows, "backup", key)


def _expired(tx: Reading) -> Iterator[tuple[str, Document]]:
    for key, document in job_records.documents(tx.rows, "backup"):
        expiry = document["Details"].get("BackupExpiryDateTime")
        if expiry is not None and expiry <= tx.now() and not document["Restoring"]:
            yield key, document
