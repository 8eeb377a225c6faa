"""Amazon Resource Names of tables, indexes and streams."""

ACCOUNT = "000000000000"


def table_arn(region: str, name: str) -> str:
    """The ARN of a table.

    >>> table_arn("us-east-1", "Music")
    'arn:aws:dynamodb:us-east-1:000000000000:table/Music'
    """
    return f"arn:aws:dynamodb:{region}:{ACCOUNT}:table/{name}"


def index_arn(table: str, index: str) -> str:
    """The ARN of an index, from its table's."""
    return f"{table}/index/{index}"


def stream_arn(table: str, label: str) -> str:
    """The ARN of a stream, from its table's."""
    return f"{table}/stream/{label}"
