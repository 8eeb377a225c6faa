"""KMS rights: the master key of secret fields, and the keys that tables are encrypted with.

DynamoDB uses the key of a table on behalf of the caller: the rights are limited to calls through DynamoDB.
"""

import re
from collections.abc import Iterable

from tablewright.design.tables.tables import AWS_MANAGED_KEY, Table
from tablewright.errors import UsageError
from tablewright.generate.iam.grants import Grants
from tablewright.generate.iam.table_arns import TableArns

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
    """Add rights on the customer managed keys of tables, through DynamoDB only."""
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
