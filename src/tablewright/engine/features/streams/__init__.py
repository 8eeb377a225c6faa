"""Streams: the changes of items, in order, for 24 hours."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="streams",
    operations={
        "DescribeStream": "describe_stream",
        "GetRecords": "get_records",
        "GetShardIterator": "get_shard_iterator",
        "ListStreams": "list_streams",
    },
)
