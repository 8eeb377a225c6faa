"""The operator role: deploys, migrates, checks, backs up and moves the tables of a design.

It reads and writes all items, because migrations and repairs do. It may delete tables: `deploy` does so only with
`--allow-destructive`, and never a protected table. A table is restored to a table whose name begins with its own name
and `-restored`.
"""

from dataclasses import replace

from tablewright.design.designs import Design
from tablewright.design.library_tables import checkpoint_table, position_table
from tablewright.design.tables.tables import Table
from tablewright.errors import UsageError
from tablewright.generate.iam.grants import Grants
from tablewright.generate.iam.table_arns import TableArns

ITEMS = """
    BatchGetItem BatchWriteItem ConditionCheckItem DeleteItem GetItem PutItem Query Scan UpdateItem
""".split()
TABLES = """
    CreateBackup CreateTable DeleteTable DescribeContinuousBackups DescribeContributorInsights DescribeTable
    DescribeTimeToLive ExportTableToPointInTime ImportTable ListTagsOfResource RestoreTableToPointInTime TagResource
    UntagResource UpdateContinuousBackups UpdateContributorInsights UpdateTable UpdateTimeToLive
""".split()
INDEXES = ("DescribeContributorInsights", "Query", "Scan", "UpdateContributorInsights")
RESTORED = """
    BatchWriteItem DeleteItem DescribeTable GetItem PutItem Query RestoreTableFromBackup RestoreTableToPointInTime Scan
    UpdateItem
""".split()
POLICIES = ("DeleteResourcePolicy", "GetResourcePolicy", "PutResourcePolicy")
REPLICAS = ("CreateTableReplica", "DeleteTableReplica")
STREAMS = ("DescribeStream", "GetRecords", "GetShardIterator")
"""A move follows the streams of both sides."""
ALL = ("ListBackups", "ListExports", "ListImports", "ListStreams", "ListTables")
LOGS = ("CreateLogGroup", "CreateLogStream", "DescribeLogStreams", "PutLogEvents", "PutRetentionPolicy")
KEYS = (
    "kms:CreateGrant",
    "kms:Decrypt",
    "kms:DescribeKey",
    "kms:Encrypt",
    "kms:GenerateDataKey",
    "kms:GenerateDataKeyWithoutPlaintext",
    "kms:ReEncryptFrom",
    "kms:ReEncryptTo",
)
"""What AWS requires of those who choose the key of a table."""


def grant_operator(grants: Grants, design: Design, arns: TableArns, bucket: str | None = None) -> None:
    """Add the rights of the operator; with a bucket, those of exports and imports."""
    for table in operated_tables(design):
        arn = arns.of(table)
        grants.add(arn, (*ITEMS, *TABLES))
        for index in table.indexes:
            grants.add(arns.of(table, index.name), INDEXES)
        _grant_replicas(grants, table, arns)
        grants.add(f"{arn}/backup/*", ("DeleteBackup", "DescribeBackup", "RestoreTableFromBackup"))
        grants.add(f"{arn}/export/*", ("DescribeExport",))
        grants.add(f"{arn}/import/*", ("DescribeImport",))
        grants.add(f"{arn}/stream/*", STREAMS)
        grants.add(f"{arn}-restored*", RESTORED)
        grants.add_plain([f"dynamodb:{action}" for action in POLICIES], [arn, f"{arn}/stream/*"])
    grants.add_plain([f"dynamodb:{action}" for action in ALL], ["*"])
    if bucket is not None:
        grant_bucket(grants, bucket, arns)


def _grant_replicas(grants: Grants, table: Table, arns: TableArns) -> None:
    """Add the rights to create and delete the replicas of a table, which AWS fills with the rights of the caller."""
    if table.replicas:
        grants.add(arns.of(table), REPLICAS)
    for region in table.replicas:
        replica = replace(arns, region=region).of(table)
        grants.add(replica, (*REPLICAS, *ITEMS, "CreateTable", "DeleteTable", "DescribeTable", "UpdateTable"))


def operated_tables(design: Design) -> tuple[Table, ...]:
    """The tables of a design, with those that the library itself uses."""
    return tuple(dict.fromkeys((*design.tables, checkpoint_table(design), position_table(design))))


def grant_bucket(grants: Grants, bucket: str, arns: TableArns) -> None:
    """Add the rights of exports to a bucket and imports from it."""
    if "/" in bucket or ":" in bucket or not bucket:
        raise UsageError(
            f"{bucket!r} is not the name of a bucket; give the name only, without s3:// and path"
        )
    arn = f"arn:{arns.partition}:s3:::{bucket}"
    grants.add_plain(("s3:ListBucket",), [arn])
    grants.add_plain(
        ("s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject", "s3:PutObjectAcl"), [f"{arn}/*"]
    )
    # AWS writes the errors of an import to CloudWatch, with the rights of the caller.
    logs = f"arn:{arns.partition}:logs:{arns.region}:{arns.account}:log-group:/aws-dynamodb/*"
    grants.add_plain([f"logs:{action}" for action in LOGS], [logs])
    grants.add_plain(["logs:DescribeLogGroups"], ["*"])
