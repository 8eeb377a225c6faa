"""What the services of the five systems share; a service imports the names from here.

from tablewright_systems.service import FIRST_PAGE, Caller, Conflict, NotFound, Paging, require_found, transact
"""

from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import (
    ApiError,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    PreconditionFailed,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
    require_found,
    require_version,
)
from tablewright_systems.service.jobs import Job, JobRun, JobRunner, RunEnded
from tablewright_systems.service.leases import Lease, backoff
from tablewright_systems.service.mail_server import MailServer
from tablewright_systems.service.outbox import Batch, Outbox, OutboxMessage
from tablewright_systems.service.paging import (
    ALL_TIME,
    DEFAULT_LIMIT,
    FIRST_PAGE,
    MAX_LIMIT,
    Paging,
    sorted_page,
    time_range,
)
from tablewright_systems.service.rate_limits import RateLimit
from tablewright_systems.service.raw_calls import (
    Adopted,
    call_raw,
    erase_all,
    erase_row,
    migrate_rows,
    once,
    raw_rows,
)
from tablewright_systems.service.stored_values import Timestamped
from tablewright_systems.service.text import (
    EmailAddress,
    Line,
    Prose,
    fold_email,
    require_email,
    require_name,
    require_prose,
)
from tablewright_systems.service.transactions import busy, is_conflict, transact, transact_as, written

__all__ = [
    "ALL_TIME",
    "DEFAULT_LIMIT",
    "FIRST_PAGE",
    "MAX_LIMIT",
    "Adopted",
    "ApiError",
    "Batch",
    "Caller",
    "Conflict",
    "EmailAddress",
    "Forbidden",
    "Gone",
    "Invalid",
    "Job",
    "JobRun",
    "JobRunner",
    "Lease",
    "Line",
    "MailServer",
    "NotFound",
    "Outbox",
    "OutboxMessage",
    "Paging",
    "PreconditionFailed",
    "Prose",
    "RateLimit",
    "RunEnded",
    "Timestamped",
    "TooManyRequests",
    "Unauthenticated",
    "Unavailable",
    "backoff",
    "busy",
    "call_raw",
    "erase_all",
    "erase_row",
    "fold_email",
    "is_conflict",
    "migrate_rows",
    "once",
    "raw_rows",
    "require_email",
    "require_found",
    "require_name",
    "require_prose",
    "require_version",
    "sorted_page",
    "time_range",
    "transact",
    "transact_as",
    "written",
]
