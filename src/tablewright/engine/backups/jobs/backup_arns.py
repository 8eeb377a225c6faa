"""The ARNs of backups, exports and imports: a table's ARN, what it is, and when it was made.

    arn:aws:dynamodb:us-east-1:123456789012:table/Music/backup/01489602797149-73d8d5bc

The last part is the moment in milliseconds and a random number. Documents are kept under it, so that they lie in the
order in which they were made.
"""

import re
import secrets
from typing import Literal, NamedTuple

from tablewright.engine.backups.jobs import job_records
from tablewright.engine.requests.arns import ACCOUNT, parse_arn
from tablewright.engine.requests.shapes import Text, required
from tablewright.errors import AccessDenied, ValidationError
from tablewright.storage import View

Sort = Literal["backup", "export", "import"]

ARN = required(Text(shortest=37, longest=1024))

_RESOURCE = re.compile(
    r"table/(?P<table>[a-zA-Z0-9_.-]{3,255})/(?P<sort>backup|export|import)/(?P<id>\d{14}-[0-9a-f]{8})"
).fullmatch
_REGION = re.compile(r"(us|eu|ap|ca|sa|me|af|il|mx|cn)(-[a-z]+)+-\d").fullmatch


class Name(NamedTuple):
    """What an ARN tells."""

    table: str
    id: str

    @property
    def key(self) -> str:
        """The key of its document."""
        return f"{self.id}\0{self.table}"


def parse_name(arn: str, sort: Sort) -> Name:
    """The name in an ARN. The region in it does not matter, as on AWS."""
    parts = parse_arn(arn)
    match = _RESOURCE(parts.resource) if parts else None
    if parts is None or match is None or match["sort"] != sort:
        raise ValidationError(f"Invalid {sort.title()} ARN")
    if parts.service != "dynamodb" or not _REGION(parts.region):
        raise ValidationError(f"Invalid Request: {sort.title()}Arn is not valid")
    require_account(parts.account)
    return Name(match["table"], match["id"])


def require_account(account: str) -> None:
    """Refuse what is another account's."""
    if account != ACCOUNT:
        raise AccessDenied("Access is denied")


def new_name(rows: View, sort: Sort, table: str, now: float, suffix: str | None = None) -> Name:
    """A name that nothing else has; with a given suffix it may have to tell a later moment."""
    moment = round(now * 1000)
    while True:
        name = Name(table, f"{moment:014}-{suffix or secrets.token_hex(4)}")
        if job_records.find(rows, sort, name.key) is None:
            return name
        moment += 1 if suffix else 0


def arn_of(table_arn: str, sort: Sort, name: Name) -> str:
    """The ARN of a name, from its table's."""
    return f"{table_arn}/{sort}/{name.id}"
