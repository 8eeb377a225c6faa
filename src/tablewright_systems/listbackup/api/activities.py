"""Activities, read-only."""

from typing import Annotated

from fastapi import Query

from tablewright import fields
from tablewright_systems.listbackup.design.activities import Activity
from tablewright_systems.listbackup.design.vocabulary import Id, ResourceType
from tablewright_systems.listbackup.service.activities import activities
from tablewright_systems.web import CurrentCaller, Db, PageReply, PageRequest, Router

router = Router("Activities", "Activities of accounts and users.")

Timestamp = fields.Timestamp


@router.get("/accounts/{account_id}/activities")
def of_account(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    paging: PageRequest,
    resource_type: Annotated[ResourceType | None, Query(alias="resourceType")] = None,
    start: Timestamp | None = None,
    end: Timestamp | None = None,
) -> PageReply[Activity]:
    """List an account's activities, or those for one type of resource, newest first."""
    pattern = activities.activities_of_account(
        db, caller, account_id, resource_type=resource_type, start=start, end=end
    )
    return PageReply.of(paging.run(db, pattern))


@router.get("/accounts/{account_id}/resources/{resource_type}/{resource_id}/activities")
def of_resource(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    resource_type: ResourceType,
    resource_id: Id,
    paging: PageRequest,
) -> PageReply[Activity]:
    """List the activities of one resource, newest first."""
    pattern = activities.activities_of_resource(db, caller, account_id, resource_type, resource_id)
    return PageReply.of(paging.run(db, pattern))


@router.get("/users/me/activities")
def own(
    db: Db,
    caller: CurrentCaller,
    paging: PageRequest,
    start: Timestamp | None = None,
    end: Timestamp | None = None,
) -> PageReply[Activity]:
    """List the caller's activities in all accounts, newest first."""
    return PageReply.of(paging.run(db, activities.own_activities(db, caller, start, end)))


@router.get("/accounts/{account_id}/activities/{created_at}/{event_id}")
def read_activity(
    db: Db, caller: CurrentCaller, account_id: str, created_at: Timestamp, event_id: Id
) -> Activity:
    """Get one activity by its time and id."""
    return activities.read_activity(db, caller, account_id, created_at, event_id)
