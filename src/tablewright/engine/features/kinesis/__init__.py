"""Kinesis destinations: changes of tables, written to files that stand for Kinesis data streams."""

from tablewright.engine.core.plugs import Feature
from tablewright.engine.core.state.catalog import TABLE_EFFECTS
from tablewright.engine.core.state.engine_state import NEW_STATES
from tablewright.engine.core.sweeper import CLOSINGS, SWEEPS
from tablewright.engine.features.kinesis import outbox

FEATURE = Feature(
    name="kinesis",
    after=("ttl",),  # what a sweep deletes is delivered by the same sweep
    operations={
        "DescribeKinesisStreamingDestination": "streaming_destinations",
        "DisableKinesisStreamingDestination": "streaming_destinations",
        "EnableKinesisStreamingDestination": "streaming_destinations",
        "UpdateKinesisStreamingDestination": "streaming_destinations",
    },
    members=("Kinesis",),
    parts=(
        NEW_STATES.part(outbox.new_lock),
        TABLE_EFFECTS.part(outbox.outbox_effect),
        SWEEPS.part(outbox.sweep_outbox),
        CLOSINGS.part(outbox.deliver_before_closing),
    ),
)
