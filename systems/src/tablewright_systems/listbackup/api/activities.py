"""Activities, read-only, with the names of the users who acted."""

from typing import Annotated

from fastapi import Query

from tablewright import fields
from tablewright_systems.listbackup.api.names import page_with_names, with_names
from tablewright_systems.listbackup.design.activities import ActivityDetails
from tablewright_systems.listbackup.design.vocabulary import Id, ResourceType
from tablewright_systems.listbackup.service import activities
from tablewright_systems.web import CurrentCaller, Db, PageReply, PageRequest, Router, View

router = Router("Activities", "Activities of accounts and users.")

Timestamp = fields.Timestamp


class ActivityView(View):
    """An event in an account. Without a user, the system itself acted."""

    account_id: str
    event_id: str
    user_id: str | None
    user_name: str | None
    event_type: str
    resource_type: ResourceType
    resource_id: str
    action: str
    details: ActivityDetails
    ip_address: str | None
    user_agent: str | None
    timestamp: int
    created_at: Timestamp


@router.get("/accounts/{account_id}/activities")
def of_account(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    paging: PageRequest,
    resource_type: Annotated[ResourceType | None, Query(alias="resourceType")] = None,
    start: Timestamp | None = None,
    end: Timestamp | None = None,
) -> PageReply[ActivityView]:
    """List an account's activities, or those for one type of resource, newest first."""
    page = activities.activities_of_account(
        db, caller, account_id, resource_type=resource_type, start=start, end=end, paging=paging
    )
    return page_with_names(db, ActivityView, page)


@router.get("/accounts/{account_id}/resources/{resource_type}/{resource_id}/activities")
def of_resource(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    resource_type: ResourceType,
    resource_id: Id,
    paging: PageRequest,
) -> PageReply[ActivityView]:
    """List the activities of one resource, newest first."""
    page = activities.activities_of_resource(db, caller, account_id, resource_type, resource_id, paging)
    return page_with_names(db, ActivityView, page)


@router.get("/users/me/activities")
def own(
    db: Db,
    caller: CurrentCaller,
    paging: PageRequest,
    start: Timestamp | None = None,
    end: Timestamp | None = None,
) -> PageReply[ActivityView]:
    """List the caller's activities in all accounts, newest first."""
    return page_with_names(db, ActivityView, activities.own_activities(db, caller, start, end, paging))


@router.get("/accounts/{account_id}/activities/{created_at}/{event_id}")
def read_activity(
    db: Db, caller: CurrentCaller, account_id: str, created_at: Timestamp, event_id: Id
) -> ActivityView:
    """Get one activity by its time and id."""
    activity = activities.read_activity(db, caller, account_id, created_at, event_id)
    return with_names(db, ActivityView, [activity])[0]
