"""Incremental export: old and new images of a period, whatever is written after it."""

import gzip
import json
from pathlib import Path
from typing import Any

from tablewright.engine.database import Database
from tests.engine.archive import BUCKET, START, archive, create, delete, export, put, recover


def changes(db: Database, start: float, end: float) -> dict[str, dict[str, Any]]:
    """The changes of a period, by key."""
    period = {"ExportFromTime": start, "ExportToTime": end, "ExportViewType": "NEW_AND_OLD_IMAGES"}
    exported = export(db, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=period)
    assert exported["ExportStatus"] == "COMPLETED"
    assert db.bucket_directory is not None
    found = {}
    for path in (db.bucket_directory / BUCKET / "AWSDynamoDB/data").iterdir():
        for line in gzip.decompress(path.read_bytes()).splitlines():
            change = json.loads(line)
            found[change["Keys"]["id"]["S"]] = change
    return found


def test_each_changed_item_has_its_images_at_both_ends_of_the_period(tmp_path: Path) -> None:
    with archive(tmp_path) as db:
        create(db)
        recover(db)
        for key in ("untouched", "changed", "deleted"):
            put(db, key, city="Oslo")
        db.clock.advance(3600)
        put(db, "changed", city="Lund")
        put(db, "changed", city="Rome")
        delete(db, "deleted")
        put(db, "created", city="Bonn")
        put(db, "brief")
        delete(db, "brief")
        db.clock.advance(3600)
        put(db, "changed", city="after the period")
        delete(db, "created")
        db.clock.advance(3600)
        found = changes(db, START + 1800, START + 5400)
    images = {
        key: tuple(change.get(image, {}).get("city", {}).get("S") for image in ("OldImage", "NewImage"))
        for key, change in found.items()
    }
    assert images == {
        "changed": ("Oslo", "Rome"),
        "deleted": ("Oslo", None),
        "created": (None, "Bonn"),
        "brief": (None, None),
    }
