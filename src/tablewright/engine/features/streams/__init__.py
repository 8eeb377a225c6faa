"""Streams: the changes of items, in order, for 24 hours."""

from tablewright.engine.core.plugs import Feature
from tablewright.engine.core.requests.unsupported import REQUEST_MEMBERS
from tablewright.engine.core.state.catalog import TABLE_EFFECTS
from tablewright.engine.core.sweeper import SWEEPS
from tablewright.engine.core.table_removal import TABLE_REMOVALS
from tablewright.engine.core.tables.table_shapes import STREAM
from tablewright.engine.features.streams import stream_records

FEATURE = Feature(
    name="streams",
    operations={
        "DescribeStream": "stream_operations",
        "GetRecords": "stream_operations",
        "GetShardIterator": "stream_operations",
        "ListStreams": "stream_operations",
    },
    members=("Streams",),
    found_by=("Streams",),
    parts=(
        TABLE_EFFECTS.part(stream_records.stream_effect),
        TABLE_REMOVALS.part(stream_records.retire),
        REQUEST_MEMBERS.part(("CreateTable", "StreamSpecification", STREAM)),
        REQUEST_MEMBERS.part(("UpdateTable", "StreamSpecification", STREAM)),
        SWEEPS.part(stream_records.sweep_records),
    ),
)
