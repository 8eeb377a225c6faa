"""Activities: reading the audit trail. `audit` writes it, together with the recorded changes.

Some fields of a change are visible only to users who may read them elsewhere: billing information with the right to
read billing, addresses with the right to read users, and settings of a user only to that user. All other readers get
"***", so that they see that the field changed.
"""

from collections.abc import Callable, Iterable

from tablewright import Query, Repository, fields, reads
from tablewright_systems.listbackup.design.activities import (
    ActivitiesByResourceType,
    ActivitiesOfAccount,
    ActivitiesOfResource,
    ActivitiesOfUser,
    Activity,
    ActivityAt,
    ActivityDetails,
)
from tablewright_systems.listbackup.design.vocabulary import Document, Id, ResourceType, Right
from tablewright_systems.listbackup.service.access import Access, Area, active_user, has_right, require_right
from tablewright_systems.listbackup.service.audit import HIDDEN
from tablewright_systems.listbackup.service.user_names import page_with_names, with_names
from tablewright_systems.service import FIRST_PAGE, require_found, time_range
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router, View

router = Router("Activities", "Activities of accounts and users.")

VISIBLE_WITH = {"billingInfo": Area.BILLING, "email": Area.USERS, "displayEmail": Area.USERS}
"""The area that a member must be able to read to see a field of a change."""

PERSONAL = frozenset({"preferences", "lastLoginAt", "mfaEnabled"})
"""The fields of a user that only that user sees."""

OF_ONESELF = PERSONAL | {"email", "displayEmail"}
"""The fields of a change of the own user that need no right."""

Timestamp = fields.Timestamp
Conceal = Callable[[Activity], Activity]


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


@router.get("/accounts/{account_id}/activities", name="of_account")
def activities_of_account(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    *,
    resource_type: ResourceType | None = None,
    start: Timestamp | None = None,
    end: Timestamp | None = None,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[ActivityView]:
    """List an account's activities, or those for one type of resource, newest first."""
    access = require_right(db, caller, account_id, Area.REPORTS, Right.READ)
    span = time_range(start, end)
    pattern: Query[Activity] = ActivitiesOfAccount(account_id=account_id, **span)
    if resource_type is not None:
        pattern = ActivitiesByResourceType(account_id=account_id, resource_type=resource_type, **span)
    return page_with_names(db, ActivityView, paging.run(db, pattern).map(_conceal_for(db, access)))


@router.get("/accounts/{account_id}/resources/{resource_type}/{resource_id}/activities", name="of_resource")
def activities_of_resource(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    resource_type: ResourceType,
    resource_id: Id,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[ActivityView]:
    """List the activities of one resource, newest first."""
    access = require_right(db, caller, account_id, Area.REPORTS, Right.READ)
    pattern = ActivitiesOfResource(
        account_id=account_id, resource_type=resource_type, resource_id=resource_id
    )
    return page_with_names(db, ActivityView, paging.run(db, pattern).map(_conceal_for(db, access)))


@router.get("/users/me/activities", name="own")
def own_activities(
    db: Db,
    caller: CurrentCaller,
    start: Timestamp | None = None,
    end: Timestamp | None = None,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[ActivityView]:
    """List the caller's activities in all accounts, newest first."""
    # The caller may have lost the rights in some of the accounts, so what needs a right is concealed.
    user_id = active_user(db, caller).user_id
    pattern = ActivitiesOfUser(user_id=user_id, **time_range(start, end))
    page = paging.run(db, pattern).map(lambda activity: _concealed(activity, user_id, VISIBLE_WITH))
    return page_with_names(db, ActivityView, page)


@router.get("/accounts/{account_id}/activities/{created_at}/{event_id}")
def read_activity(
    db: Db, caller: CurrentCaller, account_id: str, created_at: Timestamp, event_id: Id
) -> ActivityView:
    """Get one activity by its time and id."""
    access = require_right(db, caller, account_id, Area.REPORTS, Right.READ)
    activity = require_found(
        db.run(ActivityAt(account_id=account_id, created_at=created_at, event_id=event_id)),
        f"activity {event_id}",
    )
    return with_names(db, ActivityView, [_conceal_for(db, access)(activity)])[0]


def _conceal_for(db: Repository, access: Access) -> Conceal:
    """Return the function that conceals the fields of an activity that a member may not see."""
    hidden = [name for name, area in VISIBLE_WITH.items() if not has_right(db, access, area, Right.READ)]
    return lambda activity: _concealed(activity, access.user.user_id, hidden)


def _concealed(activity: Activity, user_id: str, unreadable: Iterable[str]) -> Activity:
    is_own = activity.resource_type is ResourceType.USER and activity.resource_id == user_id
    hidden = {*unreadable, *PERSONAL} - (OF_ONESELF if is_own else set())

    def conceal(document: Document | None) -> Document | None:
        if document is None:
            return None
        return {name: HIDDEN if name in hidden else value for name, value in document.items()}

    details = activity.details
    shown = {"before": conceal(details.before), "after": conceal(details.after)}
    return activity.changed(details=details.model_copy(update=shown))
