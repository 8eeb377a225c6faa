"""Tags: keys and values that label a table, and their rules.

Up to 50 tags; a key has 1 to 128 characters, a value up to 256: letters, digits and spaces of any script, and
`+ - = . _ : / @`. Keys that begin with `aws:` are the service's own.
"""

import unicodedata
from collections.abc import Mapping, Sequence

from tablewright.engine.core.requests.arns import ACCOUNT, parse_arn
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.tables.table_rules import INVALID
from tablewright.errors import AccessDenied, ResourceNotFound, ValidationError

MOST_TAGS = 50
LONGEST_KEY = 128
LONGEST_VALUE = 256
TOO_MANY = "Number of Tags exceed the current limit for the provided ResourceArn"

_SIGNS = frozenset("+-=._:/@")


def read_tags(entries: Sequence[Mapping[str, str | None]]) -> dict[str, str]:
    """The tags of a request by key, validated."""
    tags: dict[str, str] = {}
    for entry in entries:
        key, value = require_key(entry.get("Key")), entry.get("Value")
        if value is None or len(value) > LONGEST_VALUE or not _is_plain(value):
            shown = "null" if value is None else value
            raise ValidationError(f"The Tag Value provided is invalid, Value: {shown}")
        if key in tags:
            raise ValidationError(f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
        tags[key] = value
    require_few(tags)
    return tags


def require_key(key: str | None) -> str:
    """Reject an invalid tag key."""
    if not key or len(key) > LONGEST_KEY or not _is_plain(key):
        raise ValidationError(f"The Tag Key provided is invalid, Key: {'null' if key is None else key}")
    if key.lower().startswith("aws:"):
        raise ValidationError(f"Tag Key cannot be prefixed with aws:, Key: {key}")
    return key


def require_few(tags: Mapping[str, str] | Sequence[str]) -> None:
    """Reject more tags than a table can have."""
    if len(tags) > MOST_TAGS:
        raise ValidationError(TOO_MANY)


def _is_plain(text: str) -> bool:
    return all(sign in _SIGNS or unicodedata.category(sign)[0] in "LNZ" for sign in text)


def require_arn(arn: str | None) -> str:
    """Reject an ARN that is not one of a table."""
    if arn is None:
        raise ValidationError("Invalid TableArn")
    if not arn.startswith("arn:"):
        raise ValidationError(f"{INVALID}ARNs must start with 'arn:': {arn}")
    parts = parse_arn(arn)
    path = parts.resource.split("/") if parts else []
    if parts is None or parts.service != "dynamodb" or path[0] != "table" or len(path) not in (2, 4):
        raise ValidationError(f"{INVALID}Provided Arn is not a DynamoDB resource arn: {arn}")
    if len(path) == 4 and path[2] not in ("index", "stream"):
        raise ValidationError(f"{INVALID}Provided Arn is not a DynamoDB resource arn: {arn}")
    if len(path) == 4 and path[2] == "index":
        raise ValidationError(
            f"{INVALID}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {arn}"
        )
    return arn


def tagged(tx: Reading, arn: str, operation: str) -> StoredTable:
    """The table of an ARN, which must be of this account and region."""
    parts = parse_arn(arn)
    assert parts is not None
    if parts.account != ACCOUNT:
        raise AccessDenied(
            f"User: arn:aws:iam::{ACCOUNT}:root is not authorized to perform: dynamodb:{operation} on resource: {arn}"
        )
    if parts.region != tx.state.region or parts.resource.count("/") > 1:
        raise ValidationError(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    table = tx.durable_table(arn)
    if table is None:
        raise ResourceNotFound(f"Requested resource not found: ResourceArn: {arn} not found")
    return table
