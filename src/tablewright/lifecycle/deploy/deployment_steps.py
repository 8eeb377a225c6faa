"""Deployment steps: the changes that make a table match its design.

A step is a value: it has a description, a cost, the requests it makes, and says whether it is destructive.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.design.tables.billing import Billing, Provisioned
from tablewright.lifecycle.deploy.table_state import IndexState

Request = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Step(ABC):
    """One change of one table."""

    table: str

    is_destructive = False
    """Whether data is lost, or reads fail during the step."""
    units = 0
    """Write units that the step consumes on AWS."""

    @property
    @abstractmethod
    def description(self) -> str:
        """The change, in one line."""

    @property
    @abstractmethod
    def requests(self) -> tuple[Request, ...]:
        """The calls of the step, in order; each waits until the table is active."""


@dataclass(frozen=True, slots=True)
class CreateTable(Step):
    """Create a missing table."""

    definition: Mapping[str, Any]

    @property
    def description(self) -> str:
        """The change, in one line."""
        indexes = [index["IndexName"] for index in self.definition.get("GlobalSecondaryIndexes", ())]
        return f"create table {self.table}" + (f" with indexes {', '.join(indexes)}" if indexes else "")

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls of the step."""
        return (("CreateTable", dict(self.definition)),)


@dataclass(frozen=True, slots=True)
class ReplaceTable(CreateTable):
    """Delete a table and create it again, because its key or a local index cannot be changed; back up its items."""

    why: str = ""
    backup: str = ""
    is_protected: bool = False
    is_destructive = True

    @property
    def description(self) -> str:
        """The change, in one line."""
        return f"replace table {self.table} ({self.why}): back up as {self.backup}, delete, create again"

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls of the step."""
        unprotect = {"TableName": self.table, "DeletionProtectionEnabled": False}
        return (
            ("CreateBackup", {"TableName": self.table, "BackupName": self.backup}),
            *((("UpdateTable", unprotect),) if self.is_protected else ()),
            ("DeleteTable", {"TableName": self.table}),
            ("CreateTable", dict(self.definition)),
        )


@dataclass(frozen=True, slots=True)
class AddIndex(Step):
    """Add a global index; DynamoDB fills it from the existing items."""

    index: IndexState
    billing: Billing
    rows: int = 0

    @property
    def description(self) -> str:
        """The change, in one line."""
        key = ", ".join(name for name, _, _ in self.index.key)
        return f"add index {self.index.name} on {key} to {self.table}"

    @property
    def units(self) -> int:  # type: ignore[override]
        """At least one for each item in the index."""
        return self.rows

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls of the step."""
        kind, *included = self.index.projection
        created: dict[str, Any] = {
            "IndexName": self.index.name,
            "KeySchema": [{"AttributeName": name, "KeyType": role} for name, role, _ in self.index.key],
            "Projection": {"ProjectionType": kind} | ({"NonKeyAttributes": included} if included else {}),
        }
        if isinstance(self.billing, Provisioned):
            created["ProvisionedThroughput"] = throughput(self.billing)
        types = [{"AttributeName": name, "AttributeType": kind} for name, _, kind in self.index.key]
        change = {"AttributeDefinitions": types, "GlobalSecondaryIndexUpdates": [{"Create": created}]}
        return (("UpdateTable", {"TableName": self.table, **change}),)


@dataclass(frozen=True, slots=True)
class DropIndex(Step):
    """Delete a global index; programs that still read it fail."""

    index: str
    why: str
    is_destructive = True

    @property
    def description(self) -> str:
        """The change, in one line."""
        return f"drop index {self.index} of {self.table} ({self.why})"

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls of the step."""
        change = [{"Delete": {"IndexName": self.index}}]
        return (("UpdateTable", {"TableName": self.table, "GlobalSecondaryIndexUpdates": change}),)


@dataclass(frozen=True, slots=True)
class Backfill(Step):
    """Write the key attributes of an index into the items that lack them."""

    index: str
    rows: int = 0

    @property
    def description(self) -> str:
        """The change, in one line."""
        return f"backfill the key attributes of index {self.index} in {self.table}"

    @property
    def units(self) -> int:  # type: ignore[override]
        """Two for each item: one for the item, one for its row in the index."""
        return 2 * self.rows

    @property
    def requests(self) -> tuple[Request, ...]:
        """No calls: the step is a pass over the table."""
        return ()


@dataclass(frozen=True, slots=True)
class Change(Step):
    """Change a setting of a table."""

    what: str
    calls: tuple[Request, ...]

    @property
    def description(self) -> str:
        """The change, in one line."""
        return f"{self.what} for {self.table}"

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls of the step."""
        return self.calls


def throughput(billing: Provisioned) -> dict[str, int]:
    """Return provisioned capacity as a member of a request."""
    return {"ReadCapacityUnits": billing.read, "WriteCapacityUnits": billing.write}
