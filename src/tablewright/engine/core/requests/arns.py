"""Amazon Resource Names of tables, indexes and streams.

The regions of AWS.
"""

from typing import NamedTuple

# The account ID of AWS's own examples.
ACCOUNT = "123456789012"


class Arn(NamedTuple):
    """The parts of an ARN."""

    service: str
    region: str
    account: str
    resource: str


def parse_arn(text: str) -> Arn | None:
    """The parts of an ARN; None when it is not one.

    >>> parse_arn("arn:aws:dynamodb:us-east-1:123456789012:table/Music").resource
    'table/Music'
    """
    parts = text.split(":", 5)
    return Arn(*parts[2:]) if len(parts) == 6 and parts[0] == "arn" else None


def table_name(name: str) -> str:
    """The name of a table that is given by its name or its ARN."""
    return name.rpartition(":table/")[2]


def table_arn(region: str, name: str) -> str:
    """The ARN of a table.

    >>> table_arn("us-east-1", "Music")
    'arn:aws:dynamodb:us-east-1:123456789012:table/Music'
    """
    return f"arn:aws:dynamodb:{region}:{ACCOUNT}:table/{name}"


def index_arn(table: str, index: str) -> str:
    """The ARN of an index, from its table's."""
    return f"{table}/index/{index}"


def key_arn(region: str, key: str) -> str:
    """The ARN of an encryption key, from its id."""
    return f"arn:aws:kms:{region}:{ACCOUNT}:key/{key}"


AWS_REGIONS = frozenset(
    """
    af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1
    ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6 ap-southeast-7 ca-central-1 ca-west-1
    cn-north-1 cn-northwest-1 eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3
    eusc-de-east-1 il-central-1 me-central-1 me-south-1 mx-central-1 sa-east-1 us-east-1 us-east-2 us-gov-east-1
    us-gov-west-1 us-west-1 us-west-2
    """.split()
)
