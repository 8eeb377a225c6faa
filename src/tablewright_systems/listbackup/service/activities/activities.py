"""Activities: reading the audit trail. `audit` writes it, together with the recorded changes.

Some fields of a change are visible only to users who may read them elsewhere: billing information with the right to
read billing, addresses with the right to read users, and settings of a user only to that user. All other readers get
"***", so that they see that the field changed.
"""

from collections.abc import Callable, Iterable
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
from tablewright_systems.listbackup.design.vocabulary import Document, ResourceType, Right
from tablewright_systems.listbackup.service.access import Access, Area, active_user, has_right, require_right
from tablewright_systems.listbackup.service.activities.audit import HIDDEN
from tablewright_systems.listbackup.service.time_ranges import time_range
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import NotFound

VISIBLE_WITH = {
    "billingInfo": Area.BILLING,
    "email": Area.USERS,
    "displayEmail": Area.USERS,
}
"""The area that a member must be able to read to see a field of a change."""

OWN = frozenset({"preferences", "lastLoginAt", "sessionsValidAfter", "mfaEnabled", "mfaLastStep"})
"""The fields of a user that only that user sees."""

Conceal = Callable[[Activity], Activity]


def activities_of_account(
    db: Repository,
    caller: Caller,
    account_id: str,
    *,
    resource_type: ResourceType | None = None,
    start: datetime | None = None,
    end: datetime | None = None,
) -> tuple[Query[Activity], Conceal]:
    """Return the pattern that lists an account's activities, or those for one type of resource, newest first.

    The second result is applied to each activity: it conceals what the caller may not see.
    """
    access = require_right(db, caller, account_id, Area.REPORTS, Right.READ)
    span = time_range(start, end)
    if resource_type is None:
        return ActivitiesOfAccount(account_id=account_id, **span), conceal_for(db, access)
    pattern = ActivitiesByResourceType(account_id=account_id, resource_type=resource_type, **span)
    return pattern, conceal_for(db, access)


def activities_of_resource(
    db: Repository, caller: Caller, account_id: str, resource_type: ResourceType, resource_id: str
) -> tuple[Query[Activity], Conceal]:
    """Return the pattern that lists the activities of one resource, newest first, and what conceals their fields."""
    access = require_right(db, caller, account_id, Area.REPORTS, Right.READ)
    pattern = ActivitiesOfResource(
        account_id=account_id, resource_type=resource_type, resource_id=resource_id
    )
    return pattern, conceal_for(db, access)


def own_activities(
    db: Repository, caller: Caller, start: datetime | None = None, end: datetime | None = None
) -> tuple[Query[Activity], Conceal]:
    """Return the pattern that lists the caller's own activities in all accounts, newest first.

    The caller may have lost the rights in some of the accounts, so what needs a right is concealed.
    """
    user_id = active_user(db, caller).user_id
    pattern = ActivitiesOfUser(user_id=user_id, **time_range(start, end))
    return pattern, lambda activity: _concealed(activity, _fields_hidden_from(activity, user_id, VISIBLE_WITH))


def read_activity(
    db: Repository, caller: Caller, account_id: str, created_at: datetime, event_id: str
) -> Activity:
    """Return one activity. Its key needs both its time and its id."""
    access = require_right(db, caller, account_id, Area.REPORTS, Right.READ)
    found = db.run(ActivityAt(account_id=account_id, created_at=created_at, event_id=event_id))
    if found is None:
        raise NotFound(f"activity {event_id}")
    return conceal_for(db, access)(found)


def conceal_for(db: Repository, access: Access) -> Conceal:
    """Return the function that conceals the fields of an activity that a member may not see."""
    unreadable = {area for area in set(VISIBLE_WITH.values()) if not has_right(db, access, area, Right.READ)}
    names = [name for name, area in VISIBLE_WITH.items() if area in unreadable]
    user_id = access.user.user_id
    return lambda activity: _concealed(activity, _fields_hidden_from(activity, user_id, names))


def _fields_hidden_from(activity: Activity, user_id: str, unreadable: Iterable[str]) -> set[str]:
    is_own = activity.resource_type is ResourceType.USER and activity.resource_id == user_id
    return set(unreadable) - (set(VISIBLE_WITH) - {"billingInfo"} if is_own else set()) | (
        set() if is_own else OWN
    )


def _concealed(activity: Activity, hidden: set[str]) -> Activity:
    details = activity.details

    def conceal(document: Document | None) -> Document | None:
        if document is None:
            return None
        return {name: HIDDEN if name in hidden else value for name, value in document.items()}

    concealed = details.model_copy(
        update={"before": conceal(details.before), "after": conceal(details.after)}
    )
    return activity.changed(details=concealed)
