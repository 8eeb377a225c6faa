"""Overviews for administrators: the entities of a type that were created in a time range (19)."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from tablewright import Repository, reads
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.service.permissions import require_admin
from tablewright_systems.service import FIRST_PAGE, Caller, Invalid, Paging

Created = (
    design.User
    | design.Startup
    | design.StartupRole
    | design.Application
    | design.AccessRequest
    | design.Subscription
)

MAX_RANGE = timedelta(days=366)


def list_created(
    db: Repository,
    caller: Caller,
    kind: design.Kind,
    start: datetime,
    end: datetime,
    paging: Paging = FIRST_PAGE,
) -> reads.Page[Created]:
    """List the entities of a type that were created from start to end, both included, oldest first."""
    require_admin(db, caller)
    if not timedelta(0) <= end - start <= MAX_RANGE:
        raise Invalid(f"the range from start to end must be 0 to {MAX_RANGE.days} days", "end")
    months = _months(start, end)
    lists = [design.CreatedBetween(kind=kind, start=max(month, start), end=end) for month in months]
    return paging.run(db, reads.Chained(lists))


def _months(start: datetime, end: datetime) -> Iterator[datetime]:
    """Iterate over the starts of all months in a time range, in UTC."""
    month = start.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    while month <= end:
        yield month
        month = (month + timedelta(days=32)).replace(day=1)
