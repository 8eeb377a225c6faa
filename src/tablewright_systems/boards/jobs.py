"""Background jobs of Boards. Join requests expire by TTL and need no job (134)."""

from datetime import timedelta

from tablewright_systems.boards.service import users
from tablewright_systems.service import Job

JOBS = (Job("deletions", timedelta(minutes=10), users.finish_deletions),)
