"""Make a new table of the items that lie in a bucket, as DynamoDB JSON, Ion or CSV.

What an export has written is read with --key-prefix PATH/data/ and --compression gzip. It exits with code 1 when the
import failed; items that cannot be are counted, and the others are imported.
"""

import argparse
import json
import uuid
from typing import TYPE_CHECKING, Any

from tablewright.cli.job_wait import buckets_argument, open_tables, place_argument, plain, wait_for
from tablewright.cli.output import Progress, bold, red, say
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.connections import Connection

NAME = "import"
SUMMARY = "make a new table of the items in a bucket"
EPILOG = """\
examples:
  tablewright import --bucket archive --key-prefix users.csv --format csv --into Users --key id:S
  tablewright import --bucket archive --key-prefix AWSDynamoDB/ID/data/ --compression gzip --into Copy --like Users
  tablewright import --bucket archive --format ion --into Events --key user:S --key at:N --on aws:eu-north-1
"""
FORMATS = {"json": "DYNAMODB_JSON", "ion": "ION", "csv": "CSV"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `import` understands."""
    place_argument(parser)
    parser.add_argument("--bucket", metavar="NAME", required=True, help="the bucket")
    buckets_argument(parser)
    parser.add_argument("--key-prefix", metavar="PATH", help="what the keys of the objects begin with (all)")
    parser.add_argument(
        "--format", choices=tuple(FORMATS), default="json", help="how items are written (json)"
    )
    parser.add_argument(
        "--compression",
        choices=("none", "gzip", "zstd"),
        default="none",
        help="how objects are packed (none)",
    )
    parser.add_argument("--delimiter", metavar="SIGN", help="what separates the values of CSV (,)")
    parser.add_argument("--into", metavar="NAME", required=True, help="the table to make")
    keys = parser.add_mutually_exclusive_group(required=True)
    keys.add_argument(
        "--key",
        metavar="NAME:TYPE",
        action="append",
        help="the hash key, then perhaps the range key; a type is S, N or B",
    )
    keys.add_argument("--like", metavar="TABLE", help="a table whose keys and global indexes it shall have")
    parser.add_argument("--json", action="store_true", help="print what DescribeImport shows")


def run(options: argparse.Namespace) -> int:
    """Import, and wait for the end."""
    if options.delimiter and options.format != "csv":
        raise UsageError("--delimiter is for --format csv")
    schema = _keys(options.key) if options.key else {}
    connection = open_tables(options.on, options.buckets)
    try:
        ended = _import(connection, options, schema or _like(connection, options.like))
    finally:
        connection.close()
    if options.json:
        say(json.dumps(plain(ended), indent=2))
    elif ended["ImportStatus"] == "COMPLETED":
        say(f"{bold(options.into)} is there, with {ended['ImportedItemCount']:,} items")
    else:
        said = f"the import failed: {ended.get('FailureMessage', ended.get('FailureCode'))}"
        say(red(f"{said} ({ended['ImportedItemCount']:,} imported, {ended['ErrorCount']:,} not)"))
    return 0 if ended["ImportStatus"] == "COMPLETED" else 1


def _keys(given: list[str]) -> dict[str, Any]:
    pairs = [key.rpartition(":") for key in given]
    if len(pairs) > 2 or any(not name or kind not in ("S", "N", "B") for name, _, kind in pairs):
        raise UsageError(
            "--key is NAME:TYPE with a type of S, N or B, once for the hash and once for the range key"
        )
    kinds = zip(pairs, ("HASH", "RANGE"), strict=False)
    return {
        "KeySchema": [{"AttributeName": name, "KeyType": kind} for (name, _, _), kind in kinds],
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, _, kind in pairs],
    }


def _like(connection: "Connection", table: str) -> dict[str, Any]:
    """The keys and global indexes of a table; an import cannot make local ones."""
    found = connection.call("DescribeTable", {"TableName": table})["Table"]
    indexes = [
        {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
        for index in found.get("GlobalSecondaryIndexes", ())
    ]
    schemas = [found["KeySchema"], *(index["KeySchema"] for index in indexes)]
    used = {element["AttributeName"] for schema in schemas for element in schema}
    definitions = [each for each in found["AttributeDefinitions"] if each["AttributeName"] in used]
    schema = {"KeySchema": found["KeySchema"], "AttributeDefinitions": definitions}
    return schema | ({"GlobalSecondaryIndexes": indexes} if indexes else {})


def _import(connection: "Connection", options: argparse.Namespace, schema: dict[str, Any]) -> dict[str, Any]:
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

        def ask() -> dict[str, Any]:
            reply = connection.call("DescribeImport", {"ImportArn": arn})
            return reply["ImportTableDescription"]  # type: ignore[no-any-return]

        ended = wait_for(
            ask,
            lambda answer: answer["ImportStatus"] == "IN_PROGRESS",
            progress,
            lambda answer: f"{answer.get('ImportedItemCount', 0):,} items",
        )
        progress.step(options.into)
    return ended
