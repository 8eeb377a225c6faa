"""Activities: reading the audit trail. `audit` writes it, together with the recorded changes.

Some fields of a change are visible only to users who may read them elsewhere: billing information with the right to
read billing, addresses with the right to read users, and settings of a user only to that user. All other readers get
"***", so that they see that the field changed.
"""

from collections.abc import Callable, Iterable
from datetime import datetime

from tablewright import Query, Repository, reads
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
from tablewright_systems.listbackup.service.audit import HIDDEN
from tablewright_systems.service import FIRST_PAGE, Caller, Paging, require_found, time_range

VISIBLE_WITH = {"billingInfo": Area.BILLING, "email": Area.USERS, "displayEmail": Area.USERS}
"""The area that a member must be able to read to see a field of a change."""

PERSONAL = frozenset({"preferences", "lastLoginAt", "sessionsValidAfter", "mfaEnabled", "mfaLastStep"})
"""The fields of a user that only that user sees."""

OF_ONESELF = PERSONAL | {"email", "displayEmail"}
"""The fields of a change of the own user that need no right."""

Conceal = Callable[[Activity], Activity]


def activities_of_account(
    db: Repository,
    caller: Caller,
    account_id: str,
    *,
    resource_type: ResourceType | None = None,
    start: datetime | None = None,
    end: datetime | None = None,
    paging: Paging = FIRST_PAGE,
) -> reads.Page[Activity]:
    """Return a page of an account's activities, or of those for one type of resource, newest first."""
    access = require_right(db, caller, account_id, Area.REPORTS, Right.READ)
    span = time_range(start, end)
    pattern: Query[Activity] = ActivitiesOfAccount(account_id=account_id, **span)
    if resource_type is not None:
        pattern = ActivitiesByResourceType(account_id=account_id, resource_type=resource_type, **span)
    return paging.run(db, pattern).map(_conceal_for(db, access))


def activities_of_resource(
    db: Repository,
    caller: Caller,
    account_id: str,
    resource_type: ResourceType,
    resource_id: str,
    paging: Paging = FIRST_PAGE,
) -> reads.Page[Activity]:
    """Return a page of the activities of one resource, newest first."""
    access = require_right(db, caller, account_id, Area.REPORTS, Right.READ)
    pattern = ActivitiesOfResource(
        account_id=account_id, resource_type=resource_type, resource_id=resource_id
    )
    return paging.run(db, pattern).map(_conceal_for(db, access))


def own_activities(
    db: Repository,
    caller: Caller,
    start: datetime | None = None,
    end: datetime | None = None,
    paging: Paging = FIRST_PAGE,
) -> reads.Page[Activity]:
    """Return a page of the caller's own activities in all accounts, newest first.

    The caller may have lost the rights in some of the accounts, so what needs a right is concealed.
    """
    user_id = active_user(db, caller).user_id
    pattern = ActivitiesOfUser(user_id=user_id, **time_range(start, end))
    return paging.run(db, pattern).map(lambda activity: _concealed(activity, user_id, VISIBLE_WITH))


def read_activity(
    db: Repository, caller: Caller, account_id: str, created_at: datetime, event_id: str
) -> Activity:
    """Return one activity. Its key needs both its time and its id."""
    access = require_right(db, caller, account_id, Area.REPORTS, Right.READ)
    activity = require_found(
        db.run(ActivityAt(account_id=account_id, created_at=created_at, event_id=event_id)),
        f"activity {event_id}",
    )
    return _conceal_for(db, access)(activity)


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
