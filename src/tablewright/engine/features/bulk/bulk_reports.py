"""Bulk reports: the files with the records that a bulk operation did not write, and their manifest.

    prefix/AWSDynamoDB/ID/error.json                     records that are not valid, one on each line
    prefix/AWSDynamoDB/ID/condition_check_failure.json   records whose condition was false, with the existing item
    prefix/AWSDynamoDB/ID/manifest-summary.json          the result of the operation and the keys of these files

A kill neither loses nor doubles a line. The lines of a step are committed with its writes, as `Pending` in the record
of the job, and are appended to the file after the commit. A job that continues appends them again, at the same place.
"""

import os
from typing import Any

from tablewright.dynamodb.values.stored_items import encode
from tablewright.engine.core.buckets.buckets import Bucket

Report = dict[str, Any]
"""`Size`: bytes of the file before the pending lines. `Lines`: all lines. `Pending`: the lines of the last step."""

EMPTY: Report = {"Size": 0, "Lines": 0, "Pending": ""}


def extended(report: Report, lines: list[str]) -> Report:
    """The report after a step with these lines; its pending lines are in the file already."""
    return {
        "Size": report["Size"] + len(report["Pending"].encode()),
        "Lines": report["Lines"] + len(lines),
        "Pending": "".join(line + "\n" for line in lines),
    }


class ReportFiles:
    """The report files of one bulk operation."""

    def __init__(self, bucket: Bucket, prefix: str | None, operation: str) -> None:
        start = f"{prefix.rstrip('/')}/" if prefix else ""
        self._folder = f"{start}AWSDynamoDB/{operation}"
        self._bucket = bucket

    def key(self, kind: str) -> str:
        """The key of the report of a kind: ERROR or CONDITION_CHECK_FAILURE."""
        return f"{self._folder}/{kind.lower()}.json"

    def begin(self) -> None:
        """Create the folder: the bucket is writable."""
        self._bucket.path(f"{self._folder}/any").parent.mkdir(parents=True, exist_ok=True)

    def append(self, kind: str, report: Report) -> None:
        """Write the pending lines of a report at their place."""
        if not report["Pending"]:
            return
        partial = Bucket.partial(self._bucket.path(self.key(kind)))
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.truncate(report["Size"])
            file.seek(report["Size"])
            file.write(report["Pending"].encode())
            file.flush()
            os.fsync(file.fileno())

    def finish(self, reports: dict[str, Report], summary: dict[str, Any]) -> None:
        """Make the reports visible, and write the manifest. Repeated after a kill, it has the same result."""
        files = []
        for kind, report in reports.items():
            path = self._bucket.path(self.key(kind))
            partial = Bucket.partial(path)
            if partial.exists():
                partial.replace(path)
            if report["Lines"]:
                entry = {"outputType": kind, "itemCount": report["Lines"], "dataFileS3Key": self.key(kind)}
                files.append(entry)
        self._bucket.write(f"{self._folder}/manifest-summary.json", encode({**summary, "files": files}))
