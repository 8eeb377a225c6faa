"""Roles that write no entities: the stream consumer, and people who only read."""

from tablewright.design.designs import Design
from tablewright.design.library_tables import position_table
from tablewright.errors import UsageError
from tablewright.generate.iam.grants import Grants
from tablewright.generate.iam.table_arns import TableArns

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
    grants.add_plain(["dynamodb:ListTables"], ["*"])
