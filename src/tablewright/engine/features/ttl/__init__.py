"""Time to live: items are deleted when they expire."""

from tablewright.engine.core.plugs import Feature
from tablewright.engine.core.state.catalog import TABLE_EFFECTS
from tablewright.engine.core.sweeper import SWEEP_NEEDS, SWEEPS
from tablewright.engine.core.table_removal import TABLE_REMOVALS
from tablewright.engine.core.tables.table_definitions import (
    BACKUP_DETAILS,
    SALVAGES,
    SHARED_SETTINGS,
    SharedSetting,
)
from tablewright.engine.features.ttl import expiry_sweeps as schedules

FEATURE = Feature(
    name="ttl",
    operations={"DescribeTimeToLive": "time_to_live", "UpdateTimeToLive": "time_to_live"},
    jobs={"expiry": "expiry_sweeps"},
    members=("TimeToLive", "ExpirySchedule"),
    found_by=("TimeToLive",),
    parts=(
        TABLE_EFFECTS.part(schedules.expiry_effect),
        TABLE_REMOVALS.part(schedules.remove_schedule),
        SWEEPS.part(schedules.sweep_expired),
        SWEEP_NEEDS.part(schedules.has_schedules),
        SALVAGES.part(schedules.salvaged),
        SHARED_SETTINGS.part(SharedSetting("TimeToLive", schedules.apply, schedules.begin_if_new)),
        BACKUP_DETAILS.part(schedules.backup_details),
    ),
)
