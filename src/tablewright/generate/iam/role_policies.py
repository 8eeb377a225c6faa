"""Roles: the policy documents of each role of a design.

service           runs access patterns and writes entities; with a tenant, only the tenant's
stream-consumer   reads streams, and keeps the positions of consumers
operator          deploys, migrates, checks and backs up
read-only         reads all tables, without decrypting secrets
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tablewright.design.designs import Design, checkpoint_table, position_table
from tablewright.design.tables import AWS_MANAGED_KEY, Table
from tablewright.errors import UsageError
from tablewright.generate.iam.grants import Document, Grants, TableArns
from tablewright.generate.iam.service_role import KEY_SHREDS, ServiceRole, members_of

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
    """Add the rights of the operator; with a bucket, those of exports and imports.

    It reads and writes all items, because migrations and repairs do. It may delete tables: `deploy` does so only with
    `--allow-destructive`, and never a protected table. A table is restored to a table whose name begins with its own
    name and `-restored`. It follows the streams of both sides of a move.
    """
    for table in operated_tables(design):
        arn = arns.of(table)
        grants.add(arn, (*ITEMS, *TABLES))
        for index in table.indexes:
            grants.add(arns.of(table, index.name), INDEXES)
        for vectors in table.vector_indexes:
            grants.add(arns.of(table, vectors.name), ("SearchVectors",))
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


STREAMS = ("DescribeStream", "GetRecords", "GetShardIterator")
POSITIONS = ("DeleteItem", "DescribeTable", "GetItem", "PutItem", "Query")
DESCRIBED = """
    DescribeContinuousBackups DescribeContributorInsights DescribeTable DescribeTimeToLive ListTagsOfResource
""".split()
"""What `tablewright drift` compares."""
READ = ("BatchGetItem", "GetItem", "PartiQLSelect", "Query", "Scan")


def grant_stream_consumer(grants: Grants, design: Design, arns: TableArns) -> None:
    """Add the rights to read the streams of a design, and to keep the positions of consumers."""
    streamed = [table for table in design.tables if table.stream]
    if not streamed:
        raise UsageError(
            f'no table of {design.name} has a stream; declare one: Table(..., stream="NEW_IMAGE")'
        )
    for table in streamed:
        grants.add(f"{arns.of(table)}/stream/*", STREAMS)
    grants.add(arns.of(position_table(design)), POSITIONS)
    if design.key_table is not None:
        grants.add(arns.of(design.key_table), ("BatchGetItem",))
    grants.add_plain(["dynamodb:ListStreams"], ["*"])


def grant_reader(grants: Grants, design: Design, arns: TableArns) -> None:
    """Add the rights to read all tables but the items of the key table: secrets stay encrypted."""
    for table in design.tables:
        grants.add(arns.of(table), DESCRIBED)
        grants.add_plain(["dynamodb:GetResourcePolicy"], [arns.of(table), f"{arns.of(table)}/stream/*"])
        if table is design.key_table:
            continue
        grants.add(arns.of(table), READ)
        for index in table.indexes:
            actions = ("DescribeContributorInsights", "PartiQLSelect", "Query", "Scan")
            grants.add(arns.of(table, index.name), actions)
        for vectors in table.vector_indexes:
            grants.add(arns.of(table, vectors.name), ("SearchVectors",))
    grants.add_plain(["dynamodb:ListTables"], ["*"])


_KEY_ARN = re.compile(r"arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+").fullmatch


def grant_master_key(grants: Grants, key: str, actions: Iterable[str]) -> None:
    """Add rights on the master key of a keyring."""
    if not _KEY_ARN(key):
        raise UsageError(
            f"{key} is not the ARN of a KMS key; give one such as arn:aws:kms:eu-north-1:123456789012:key/..."
        )
    grants.add_plain(actions, [key])


def grant_table_keys(
    grants: Grants, tables: Iterable[Table], arns: TableArns, actions: Iterable[str]
) -> None:
    """Add rights on the customer managed keys of tables, through DynamoDB only: it uses them for the caller."""
    service = {"kms:ViaService": f"dynamodb.{arns.region}.amazonaws.com"}
    for key in sorted({table.encryption_key for table in tables if table.encryption_key}):
        if key == AWS_MANAGED_KEY:
            continue
        if key.startswith("alias/"):
            anywhere = f"arn:{arns.partition}:kms:{arns.region}:{arns.account}:key/*"
            condition = {"StringEquals": service, "ForAnyValue:StringEquals": {"kms:ResourceAliases": key}}
            grants.add_plain(actions, [anywhere], condition)
        else:
            arn = (
                key
                if key.startswith("arn:")
                else f"arn:{arns.partition}:kms:{arns.region}:{arns.account}:key/{key}"
            )
            grants.add_plain(actions, [arn], {"StringEquals": service})


ROLES = ("service", "stream-consumer", "operator", "read-only")


@dataclass(frozen=True, slots=True)
class Role:
    """A role of a design, and what limits it."""

    name: str = "service"
    only: Sequence[str] = ()
    """The patterns that a service runs and the entities that it writes, by name; all if empty."""
    tenant: str | None = None
    """The field that limits a service to the partitions of a tenant."""
    shared: Sequence[str] = ()
    """The patterns and entities that all tenants share, by name."""
    may_shred: bool = False
    """Whether a service may delete the encryption keys of a tenant."""
    kms_key: str | None = None
    """The ARN of the master key of secret fields."""
    bucket: str | None = None
    """The S3 bucket of the operator's exports and imports."""

    def __post_init__(self) -> None:
        if self.name not in ROLES:
            raise UsageError(f"there is no role {self.name}; the roles are: {', '.join(ROLES)}")
        options = {
            "only": self.only,
            "tenant": self.tenant,
            "shared": self.shared,
            "may-shred": self.may_shred,
        }
        for option, value in options.items():
            if value and self.name != "service":
                raise UsageError(f"--{option} is for the role service, not for {self.name}")
        if self.bucket is not None and self.name != "operator":
            raise UsageError(f"--bucket is for the role operator, not for {self.name}")
        if self.shared and self.tenant is None:
            raise UsageError("--shared says what tenants share; give --tenant too")


def role_policies(design: Design, arns: TableArns, role: Role | None = None) -> list[Document]:
    """The policy documents of a role: one, or several where one would be longer than AWS allows."""
    role = role or Role()
    grants = Grants()
    master_rights: tuple[str, ...] = ("kms:Decrypt", "kms:Encrypt")
    data_rights: tuple[str, ...] = ("kms:Decrypt",)
    match role.name:
        case "service":
            _grant_service(grants, design, arns, role)
        case "stream-consumer":
            grant_stream_consumer(grants, design, arns)
            master_rights = ("kms:Decrypt",)
        case "operator":
            grant_operator(grants, design, arns, role.bucket)
            data_rights = KEYS
        case _:
            grant_reader(grants, design, arns)
            master_rights = ()
    grant_table_keys(grants, design.tables, arns, data_rights)
    if role.kms_key is not None:
        if not master_rights or design.key_table is None:
            reason = (
                f"{design.name} has no secret fields" if master_rights else "read-only people decrypt nothing"
            )
            raise UsageError(f"--kms-key is for the secret fields of a design; {reason}")
        grant_master_key(grants, role.kms_key, master_rights)
    return grants.documents()


def role_notes(design: Design, arns: TableArns, role: Role | None = None) -> list[str]:
    """What the policies of a role do not prevent, though the design says so."""
    role = role or Role()
    if role.name != "service":
        return []
    return ServiceRole(design, arns, role.tenant).notes(members_of(design, role.only))


def _grant_service(grants: Grants, design: Design, arns: TableArns, role: Role) -> None:
    members = members_of(design, role.only)
    names = {member.__name__ for member in members}
    for member in members_of(design, role.shared) if role.shared else ():
        if member.__name__ not in names:
            raise UsageError(f"--shared {member.__name__} is not among the patterns and entities of --only")
    ServiceRole(design, arns, role.tenant).grant(grants, members, role.shared)
    if role.may_shred:
        if design.key_table is None:
            raise UsageError(f"--may-shred is for the keys of secret fields, and {design.name} has none")
        if role.tenant is not None:
            raise UsageError("--may-shred deletes the keys of any tenant; do not give --tenant")
        grants.add(arns.of(design.key_table), KEY_SHREDS)
