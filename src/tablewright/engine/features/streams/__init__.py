"""Streams: the changes of items, in order, for 24 hours."""

from tablewright.engine.core.plugs import Feature
from tablewright.engine.core.requests.unsupported import REQUEST_MEMBERS
from tablewright.engine.core.state.catalog import TABLE_EFFECTS
from tablewright.engine.core.sweeper import SWEEPS
from tablewright.engine.core.table_removal import TABLE_REMOVALS
from tablewright.engine.core.tables.table_definitions import NEW_SETTING_CHECKS, NEW_TABLES
from tablewright.engine.core.tables.table_updates import CHECKED_CHANGES, SETTING_CHANGES, SETTING_CHECKS
from tablewright.engine.features.streams import stream_records, stream_settings

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
        REQUEST_MEMBERS.part(("CreateTable", "StreamSpecification", stream_settings.STREAM)),
        REQUEST_MEMBERS.part(("UpdateTable", "StreamSpecification", stream_settings.STREAM)),
        NEW_SETTING_CHECKS.part(stream_settings.require_new_stream),
        NEW_TABLES.part(stream_settings.create_stream),
        SETTING_CHECKS.part(stream_settings.require_stream_change),
        SETTING_CHANGES.part(stream_settings.change_stream),
        CHECKED_CHANGES.part(stream_settings.perform_stream_change),
        SWEEPS.part(stream_records.sweep_records),
    ),
)
