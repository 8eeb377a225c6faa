"""Activities: who did what, for those who may know. `audit` writes them, with the changes they tell of."""

from datetime import datetime

from tablewright import Query, Repository
from tablewright_systems.api_errors import NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.activities import (
    ActivitiesByResourceType,
    ActivitiesOfAccount,
    ActivitiesOfResource,
    ActivitiesOfUser,
    Activity,
    ActivityAt,
)
from tablewright_systems.listbackup.design.vocabulary import ResourceType, Right
from tablewright_systems.listbackup.service.access import Area, active_user, admit
from tablewright_systems.listbackup.service.time_ranges import span


def activities_of_account(
    db: Repository,
    caller: Caller,
    account_id: str,
    *,
    resource_type: ResourceType | None = None,
    start: datetime | None = None,
    end: datetime | None = None,
) -> Query[Activity]:
    """The pattern that finds what happened in an account, perhaps to one type of resource, the newest first."""
    admit(db, caller, account_id, Area.REPORTS, Right.READ)
    if resource_type is None:
        return ActivitiesOfAccount(account_id=account_id, **span(start, end))
    return ActivitiesByResourceType(account_id=account_id, resource_type=resource_type, **span(start, end))


def activities_of_resource(
    db: Repository, caller: Caller, account_id: str, resource_type: ResourceType, resource_id: str
) -> ActivitiesOfResource:
    """The pattern that finds what happened to one resource, the newest first."""
    admit(db, caller, account_id, Area.REPORTS, Right.READ)
    return ActivitiesOfResource(account_id=account_id, resource_type=resource_type, resource_id=resource_id)


def own_activities(
    db: Repository, caller: Caller, start: datetime | None = None, end: datetime | None = None
) -> ActivitiesOfUser:
    """The pattern that finds what the caller did, in all accounts, the newest first; nobody else's."""
    user_id = active_user(db, caller.user_id).user_id
    return ActivitiesOfUser(user_id=user_id, **span(start, end))


def read_activity(
    db: Repository, caller: Caller, account_id: str, created_at: datetime, event_id: str
) -> Activity:
    """One activity; its time is a part of its key, so that it takes both."""
    admit(db, caller, account_id, Area.REPORTS, Right.READ)
    found = db.run(ActivityAt(account_id=account_id, created_at=created_at, event_id=event_id))
    if found is None:
        raise NotFound(f"activity {event_id}")
    return found
