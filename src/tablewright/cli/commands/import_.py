"""Import items from a bucket into a new table: DynamoDB JSON, Ion or CSV. The new table is billed per request.

To import an export, give --key-prefix PATH/data/ and --compression gzip. Items that cannot be imported are counted; the
others are imported. The exit code is 1 if the import fails.
"""

import argparse
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import buckets_argument, json_argument, location_argument
from tablewright.cli.data_locations import open_tables
from tablewright.cli.output import bold, count, print_json, print_line, red
from tablewright.cli.progress import Progress, wait_for
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.connections import Connection

NAME = "import"
SUMMARY = "import items from a bucket into a new table"
EPILOG = """\
examples:
  tablewright import --bucket archive --key-prefix users.csv --format csv --into Users --key id:S
  tablewright import --bucket archive --key-prefix AWSDynamoDB/ID/data/ --compression gzip --into Copy --like Users
  tablewright import --bucket archive --format ion --into Events --key user:S --key at:N --on aws:eu-north-1
"""
FORMATS = {"json": "DYNAMODB_JSON", "ion": "ION", "csv": "CSV"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `import`."""
    location_argument(parser)
    parser.add_argument("--bucket", metavar="NAME", required=True, help="bucket to read from")
    buckets_argument(parser)
    parser.add_argument(
        "--key-prefix", metavar="PATH", help="prefix of the keys of the objects to import (default: all)"
    )
    parser.add_argument(
        "--format", choices=tuple(FORMATS), default="json", help="input format (default: json)"
    )
    parser.add_argument(
        "--compression",
        choices=("none", "gzip", "zstd"),
        default="none",
        help="compression of the objects; exports use gzip (default: none)",
    )
    parser.add_argument("--delimiter", metavar="CHAR", help="delimiter of CSV values (default: ,)")
    parser.add_argument("--into", metavar="NAME", required=True, help="name of the new table")
    keys = parser.add_mutually_exclusive_group(required=True)
    keys.add_argument(
        "--key",
        metavar="NAME:TYPE",
        action="append",
        help="partition key, and in a second --key the sort key; TYPE is S, N or B",
    )
    keys.add_argument("--like", metavar="TABLE", help="use the keys and global indexes of this table")
    json_argument(parser, "the DescribeImport reply")


def run(options: argparse.Namespace) -> int:
    """Import, and wait for the end."""
    from tablewright.lifecycle.deploy.table_state import import_schema

    if options.delimiter and options.format != "csv":
        raise UsageError("--delimiter needs --format csv")
    schema = _keys(options.key) if options.key else {}
    connection = open_tables(options.on, options.buckets)
    try:
        ended = _import(connection, options, schema or import_schema(connection, options.like))
    finally:
        connection.close()
    imported = ended.get("ImportedItemCount", 0)
    if options.json:
        print_json(ended)
    elif ended["ImportStatus"] == "COMPLETED":
        print_line(f"Imported {count(imported, 'item')} into {bold(options.into)}")
    else:
        reason = ended.get("FailureMessage", ended.get("FailureCode"))
        print_line(red(f"import failed: {reason} ({imported:,} imported, {ended['ErrorCount']:,} rejected)"))
    return 0 if ended["ImportStatus"] == "COMPLETED" else 1


def _keys(keys: list[str]) -> dict[str, Any]:
    pairs = [key.rpartition(":") for key in keys]
    if len(pairs) > 2 or any(not name or kind not in ("S", "N", "B") for name, _, kind in pairs):
        raise UsageError(
            "--key must be NAME:TYPE with type S, N or B: one --key for the partition key, one for the sort key"
        )
    kinds = zip(pairs, ("HASH", "RANGE"), strict=False)
    return {
        "KeySchema": [{"AttributeName": name, "KeyType": kind} for (name, _, _), kind in kinds],
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, _, kind in pairs],
    }


def _import(connection: "Connection", options: argparse.Namespace, schema: dict[str, Any]) -> dict[str, Any]:
    import uuid

    source = {"S3Bucket": options.bucket}
    if options.key_prefix:
        source["S3KeyPrefix"] = options.key_prefix
    request = {
        "ClientToken": str(uuid.uuid4()),
        "S3BucketSource": source,
        "InputFormat": FORMATS[options.format],
        "InputCompressionType": options.compression.upper(),
        "TableCreationParameters": {"TableName": options.into, "BillingMode": "PAY_PER_REQUEST", **schema},
    }
    if options.delimiter:
        request["InputFormatOptions"] = {"Csv": {"Delimiter": options.delimiter}}
    with Progress(1, "table imported") as progress:
        arn = connection.call("ImportTable", request)["ImportTableDescription"]["ImportArn"]

        def poll() -> dict[str, Any]:
            reply = connection.call("DescribeImport", {"ImportArn": arn})
            return reply["ImportTableDescription"]  # type: ignore[no-any-return]

        ended = wait_for(
            poll,
            lambda reply: reply["ImportStatus"] == "IN_PROGRESS",
            progress,
            lambda reply: count(reply.get("ImportedItemCount", 0), "item"),
        )
        progress.advance(options.into)
    return ended
