"""Deployment steps: the changes that make a table match its design.

A step is a value: it has a description, a cost, the requests it makes, and says what is lost by it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tablewright.design.tables import Request
from tablewright.lifecycle.deploy.table_state import IndexState


@dataclass(frozen=True, slots=True)
class DeploymentStep(ABC):
    """One change of one table."""

    table: str

    kind: ClassVar[str]
    """The name of the step in JSON."""
    units = 0
    """Write units that the step consumes on AWS."""

    @property
    def loss(self) -> str:
        """What the step loses for ever, or makes fail; empty if nothing."""
        return ""

    @property
    def is_destructive(self) -> bool:
        """Whether something is lost that the step before cannot bring back."""
        return bool(self.loss)

    @property
    @abstractmethod
    def description(self) -> str:
        """The change, in one line."""

    @property
    @abstractmethod
    def requests(self) -> tuple[Request, ...]:
        """The calls of the step, in order; each waits until the table is active."""

    def as_data(self) -> dict[str, Any]:
        """Return the step in JSON types."""
        return {
            "table": self.table,
            "step": self.kind,
            "does": self.description,
            "destructive": self.is_destructive,
            "loss": self.loss or None,
            "write_units": self.units,
            "requests": [{"operation": name, "request": request} for name, request in self.requests],
        }


@dataclass(frozen=True, slots=True)
class TableCreation(DeploymentStep):
    """Create a missing table."""

    kind: ClassVar = "CreateTable"
    definition: Mapping[str, Any]

    @property
    def description(self) -> str:
        """The change, in one line."""
        members = ("GlobalSecondaryIndexes", "VectorIndexes")
        indexes = [index["IndexName"] for name in members for index in self.definition.get(name, ())]
        return f"create table {self.table}" + (f" with indexes {', '.join(indexes)}" if indexes else "")

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls of the step."""
        return (("CreateTable", dict(self.definition)),)


@dataclass(frozen=True, slots=True)
class ReplaceTable(TableCreation):
    """Delete a table and create it again, because its key or a local index cannot be changed; back up its items."""

    kind: ClassVar = "ReplaceTable"
    why: str = ""
    backup: str = ""
    items: int = 0

    @property
    def loss(self) -> str:
        """What is lost."""
        kept = f"backup {self.backup} keeps the items"
        return f"the table is deleted, with about {self.items:,} items, its stream and its history; {kept}"

    @property
    def description(self) -> str:
        """The change, in one line."""
        return f"replace table {self.table} ({self.why}): back up as {self.backup}, delete, create again"

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls of the step."""
        return (
            ("CreateBackup", {"TableName": self.table, "BackupName": self.backup}),
            ("DeleteTable", {"TableName": self.table}),
            ("CreateTable", dict(self.definition)),
        )


@dataclass(frozen=True, slots=True)
class AddIndex(DeploymentStep):
    """Add a global index; DynamoDB fills it from the existing items."""

    kind: ClassVar = "AddIndex"
    index: IndexState
    definition: Mapping[str, Any]
    """The index as a member of CreateTable."""
    types: Mapping[str, str]
    """The types of the attributes of all keys: DynamoDB needs those of the new key, moto needs all."""
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
        types = [{"AttributeName": name, "AttributeType": kind} for name, kind in self.types.items()]
        change = {
            "AttributeDefinitions": types,
            "GlobalSecondaryIndexUpdates": [{"Create": dict(self.definition)}],
        }
        return (("UpdateTable", {"TableName": self.table, **change}),)


@dataclass(frozen=True, slots=True)
class DropIndex(DeploymentStep):
    """Delete a global index; programs that still read it fail."""

    kind: ClassVar = "DropIndex"
    index: str
    why: str

    @property
    def loss(self) -> str:
        """What is lost."""
        return f"reads of index {self.index} fail"

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
class AddVectorIndex(DeploymentStep):
    """Add a vector index; DynamoDB fills it from the existing items, and leaves out those that do not fit it."""

    kind: ClassVar = "AddVectorIndex"
    index: str
    definition: Mapping[str, Any]
    """The index as a member of CreateTable."""
    types: Mapping[str, str]
    """The types of the attributes that it is searched by."""

    @property
    def description(self) -> str:
        """The change, in one line."""
        attribute = self.definition["VectorAttribute"]["AttributeName"]
        size = self.definition["Dimensions"]
        return f"add vector index {self.index} of {attribute} ({size} dimensions) to {self.table}"

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls of the step."""
        types = [{"AttributeName": name, "AttributeType": kind} for name, kind in self.types.items()]
        change: dict[str, Any] = {"VectorIndexUpdates": [{"Create": dict(self.definition)}]}
        if types:
            change["AttributeDefinitions"] = types
        return (("UpdateTable", {"TableName": self.table, **change}),)


@dataclass(frozen=True, slots=True)
class DropVectorIndex(DropIndex):
    """Delete a vector index; programs that still search it fail."""

    kind: ClassVar = "DropVectorIndex"

    @property
    def loss(self) -> str:
        """What is lost."""
        return f"searches of vector index {self.index} fail"

    @property
    def description(self) -> str:
        """The change, in one line."""
        return f"drop vector index {self.index} of {self.table} ({self.why})"

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls of the step."""
        change = [{"Delete": {"IndexName": self.index}}]
        return (("UpdateTable", {"TableName": self.table, "VectorIndexUpdates": change}),)


@dataclass(frozen=True, slots=True)
class Backfill(DeploymentStep):
    """Write the key attributes of an index into the items that lack them."""

    kind: ClassVar = "Backfill"
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
class LayoutCompletion(DeploymentStep):
    """Write the index keys, copies and locks that stored items lack, and record that they are complete."""

    kind: ClassVar = "CompleteLayout"
    parts: tuple[str, ...]
    """What may be missing; nothing if the design only lacks what items have."""
    calls: tuple[Request, ...]
    rows: int = 0

    @property
    def description(self) -> str:
        """The change, in one line."""
        if not self.parts:
            return f"remove index keys, copies and locks from {self.table} that the design no longer declares"
        return f"write for the items of {self.table} that lack it: {', '.join(self.parts)}"

    @property
    def units(self) -> int:  # type: ignore[override]
        """About two for each item and part: the item or its dependent, and a row of an index."""
        return 2 * self.rows * max(1, len(self.parts))

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls after the pass over the table."""
        return self.calls


@dataclass(frozen=True, slots=True)
class SettingChange(DeploymentStep):
    """Change a setting of a table."""

    kind: ClassVar = "Change"
    what: str
    calls: tuple[Request, ...]
    loss: str = ""

    @property
    def description(self) -> str:
        """The change, in one line."""
        return f"{self.what} for {self.table}"

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls of the step."""
        return self.calls
