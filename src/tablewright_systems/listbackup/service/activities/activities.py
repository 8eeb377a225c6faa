"""Activities: reading the audit trail. `audit` writes it, together with the recorded changes."""

from datetime import datetime

from tablewright import Query, Repository
from tablewright_systems.listbackup.design.activities import (
    ActivitiesByResourceType,
    ActivitiesOfAccount,
    ActivitiesOfResource,
    ActivitiesOfUser,
    Activity,
    ActivityAt,
)
from tablewright_systems.listbackup.design.vocabulary import ResourceType, Right
from tablewright_systems.listbackup.service.access import Area, active_user, require_right
from tablewright_systems.listbackup.service.time_ranges import time_range
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import NotFound


def activities_of_account(
    db: Repository,
    caller: Caller,
    account_id: str,
    *,
    resource_type: ResourceType | None = None,
    start: datetime | None = None,
    end: datetime | None = None,
) -> Query[Activity]:
    """Return the pattern that lists an account's activities, or those for one type of resource, newest first."""
    require_right(db, caller, account_id, Area.REPORTS, Right.READ)
    if resource_type is None:
        return ActivitiesOfAccount(account_id=account_id, **time_range(start, end))
    return ActivitiesByResourceType(
        account_id=account_id, resource_type=resource_type, **time_range(start, end)
    )


def activities_of_resource(
    db: Repository, caller: Caller, account_id: str, resource_type: ResourceType, resource_id: str
) -> ActivitiesOfResource:
    """Return the pattern that lists the activities of one resource, newest first."""
    require_right(db, caller, account_id, Area.REPORTS, Right.READ)
    return ActivitiesOfResource(account_id=account_id, resource_type=resource_type, resource_id=resource_id)


def own_activities(
    db: Repository, caller: Caller, start: datetime | None = None, end: datetime | None = None
) -> ActivitiesOfUser:
    """Return the pattern that lists the caller's own activities in all accounts, newest first."""
    user_id = active_user(db, caller).user_id
    return ActivitiesOfUser(user_id=user_id, **time_range(start, end))


def read_activity(
    db: Repository, caller: Caller, account_id: str, created_at: datetime, event_id: str
) -> Activity:
    """Return one activity. Its key needs both its time and its id."""
    require_right(db, caller, account_id, Area.REPORTS, Right.READ)
    found = db.run(ActivityAt(account_id=account_id, created_at=created_at, event_id=event_id))
    if found is None:
        raise NotFound(f"activity {event_id}")
    return found
