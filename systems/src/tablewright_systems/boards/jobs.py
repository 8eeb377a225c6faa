"""Background jobs of Boards: `tablewright-systems jobs boards` runs them, and `tablewright-systems up` too.

Join requests expire by TTL and need no job (F7).
"""

from datetime import timedelta

from tablewright_systems.boards.service import users
from tablewright_systems.service import Job, migrate_rows, once

JOBS = (
    Job("adoption", timedelta(hours=1), once(migrate_rows)),
    Job("deletions", timedelta(minutes=10), users.finish_deletions),
)
