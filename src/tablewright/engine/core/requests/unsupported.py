"""Unsupported members and operations: those of AWS's API that this engine does not implement.

AWS ignores members that its API does not have, and so does Tablewright. A member that the API has is implemented, or
it is declared as `UNSUPPORTED`: a request with it is rejected by name, so that nothing requested is silently dropped.

Members and operations of features are listed here with AWS's names, so that they are rejected by name where their
feature is absent. This is the one place of the core that knows words of features.
"""

from collections.abc import Iterator
from typing import Any

from tablewright.engine.core.plugs import Plug
from tablewright.engine.core.requests.scalars import Member
from tablewright.errors import ValidationError


class Unsupported:
    """A member that no request may have; an empty list requests nothing and is accepted."""

    required = False

    def accepts(self, value: Any) -> bool:
        """Whether the value requests nothing."""
        return type(value) is list and not value

    def require_type(self, value: Any) -> None:
        """Accept any JSON type: the member is rejected whatever it contains."""

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """Reject the request, unless the value requests nothing."""
        if not self.accepts(value):
            *_, name = path.split(".")
            raise ValidationError(
                f"{name[0].upper()}{name[1:]} is not implemented by Tablewright; remove it from the request"
            )
        return iter(())


UNSUPPORTED = Unsupported()

OPERATIONS_OF_FEATURES = frozenset(
    """
    CancelBulkOperation CreateBackup CreateGlobalTable DeleteBackup DeleteResourcePolicy DescribeBackup
    DescribeBulkOperation DescribeContinuousBackups DescribeContributorInsights DescribeExport DescribeGlobalTable
    DescribeGlobalTableSettings DescribeImport DescribeKinesisStreamingDestination DescribeStream
    DescribeTableReplicaAutoScaling DescribeTimeToLive DisableKinesisStreamingDestination
    EnableKinesisStreamingDestination ExportTableToPointInTime GetRecords GetResourcePolicy GetShardIterator ImportTable
    ListBackups ListBulkOperations ListContributorInsights ListExports ListGlobalTables ListImports ListStreams
    PutResourcePolicy RestoreTableFromBackup RestoreTableToPointInTime SearchVectors StartBulkPutItems
    UpdateContinuousBackups UpdateContributorInsights UpdateGlobalTable UpdateGlobalTableSettings
    UpdateKinesisStreamingDestination UpdateTableReplicaAutoScaling UpdateTimeToLive
    """.split()
)
"""The operations of AWS's API that belong to features."""

MEMBERS_OF_FEATURES: dict[str, tuple[str, ...]] = {
    "CreateTable": ("ResourcePolicy", "VectorIndexes"),
    "UpdateTable": ("VectorIndexUpdates", "ReplicaUpdates", "MultiRegionConsistency"),
}
"""The last members of operations of the core that belong to features, in AWS's order."""

REQUEST_MEMBERS: Plug[tuple[str, str, Member]] = Plug()
"""An operation of the core, a member of it, and the shape of that member."""


def members_of_features(operation: str) -> dict[str, Member]:
    """The members of an operation that belong to features; those of absent features are unsupported."""
    return {name: member_of_feature(operation, name) for name in MEMBERS_OF_FEATURES[operation]}


def member_of_feature(operation: str, name: str) -> Member:
    """One member of an operation that belongs to a feature, for its place in AWS's order."""
    return next(
        (shape for owner, member, shape in REQUEST_MEMBERS if (owner, member) == (operation, name)),
        UNSUPPORTED,
    )
