"""Backup ARNs: the ARNs of backups, exports, imports and bulk operations.

Each contains the ARN of the table and a timestamp:

    arn:aws:dynamodb:us-east-1:123456789012:table/Music/backup/01489602797149-73d8d5bc

The last part is the creation time in milliseconds and a random number. Records are stored under it, and so are
sorted by creation time.
"""

import re
import secrets
from typing import Literal, NamedTuple

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.requests.arns import ACCOUNT, parse_arn
from tablewright.engine.core.requests.shapes import Text, required
from tablewright.engine.storage import ReadView
from tablewright.errors import AccessDenied, ValidationError

ResourceKind = Literal["backup", "export", "import", "bulk-operation"]

ARN = required(Text(shortest=37, longest=1024))

_RESOURCE = re.compile(
    r"table/(?P<table>[a-zA-Z0-9_.-]{3,255})/(?P<kind>backup|export|import|bulk-operation)/(?P<id>\d{14}-[0-9a-f]{8})"
).fullmatch
_REGION = re.compile(r"(us|eu|ap|ca|sa|me|af|il|mx|cn)(-[a-z]+)+-\d").fullmatch


class ResourceName(NamedTuple):
    """The table and the ID in an ARN."""

    table: str
    id: str

    @property
    def key(self) -> str:
        """The key of the record."""
        return f"{self.id}\0{self.table}"


def parse_name(arn: str, kind: ResourceKind) -> ResourceName:
    """The name in an ARN. The region is ignored, as on AWS."""
    parts, shown = parse_arn(arn), kind.title().replace("-", "")
    match = _RESOURCE(parts.resource) if parts else None
    if parts is None or match is None or match["kind"] != kind:
        raise ValidationError(f"Invalid {shown} ARN")
    if parts.service != "dynamodb" or not _REGION(parts.region):
        raise ValidationError(f"Invalid Request: {shown}Arn is not valid")
    require_account(parts.account)
    return ResourceName(match["table"], match["id"])


def require_account(account: str) -> None:
    """Reject resources of another account."""
    if account != ACCOUNT:
        raise AccessDenied("Access is denied")


def new_name(
    rows: ReadView, kind: ResourceKind, table: str, now: float, suffix: str | None = None
) -> ResourceName:
    """A new, unique name; with a given suffix, its timestamp may be later than `now`."""
    milliseconds = round(now * 1000)
    while True:
        name = ResourceName(table, f"{milliseconds:014}-{suffix or secrets.token_hex(4)}")
        if job_records.find(rows, kind, name.key) is None:
            return name
        milliseconds += 1 if suffix else 0


def arn_of(table_arn: str, kind: ResourceKind, name: ResourceName) -> str:
    """The ARN of a name, from the ARN of its table."""
    return f"{table_arn}/{kind}/{name.id}"
