"""Time to live: items are deleted when they expire."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="ttl",
    operations={
        "DescribeTimeToLive": "describe_time_to_live",
        "UpdateTimeToLive": "update_time_to_live",
    },
    jobs={"expiry": "expiry_schedules"},
)
