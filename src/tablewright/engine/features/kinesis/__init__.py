"""Kinesis destinations: changes of tables, written to files that stand for Kinesis data streams."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="kinesis",
    operations={
        "DescribeKinesisStreamingDestination": "describe_kinesis_streaming_destination",
        "DisableKinesisStreamingDestination": "disable_kinesis_streaming_destination",
        "EnableKinesisStreamingDestination": "enable_kinesis_streaming_destination",
        "UpdateKinesisStreamingDestination": "update_kinesis_streaming_destination",
    },
)
