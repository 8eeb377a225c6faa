"""Table ARNs: the ARNs of tables and indexes in one account and region."""

import re
from dataclasses import dataclass

from tablewright.design.tables.tables import Table
from tablewright.errors import UsageError

_ACCOUNT = re.compile(r"[0-9]{12}").fullmatch
_REGION = re.compile(r"[a-z]{2,4}(-[a-z]+)+-[0-9]").fullmatch
_PARTITIONS = {"cn-": "aws-cn", "us-gov-": "aws-us-gov", "eusc-": "aws-eusc"}


@dataclass(frozen=True, slots=True)
class TableArns:
    """Builds the ARNs of tables and indexes.

    >>> TableArns("eu-north-1", "123456789012", "main").of(Table("app-{env}", key="id"))
    'arn:aws:dynamodb:eu-north-1:123456789012:table/app-main'
    """

    region: str
    account: str
    environment: str | None = None
    prefix: str = ""

    def __post_init__(self) -> None:
        if not _ACCOUNT(self.account):
            raise UsageError(f"an AWS account ID has 12 digits, got {self.account}")
        if not _REGION(self.region):
            raise UsageError(f"{self.region} is not an AWS region; give one such as eu-north-1")

    @property
    def partition(self) -> str:
        """The partition of AWS that the region belongs to."""
        found = (name for prefix, name in _PARTITIONS.items() if self.region.startswith(prefix))
        return next(found, "aws")

    def of(self, table: Table, index: str | None = None) -> str:
        """The ARN of a table or of an index."""
        name = self.prefix + table.physical_name(self.environment)
        arn = f"arn:{self.partition}:dynamodb:{self.region}:{self.account}:table/{name}"
        return f"{arn}/index/{index}" if index else arn
