"""Proofs of activities: reading them, one for every change, retention times."""

from datetime import timedelta
from functools import partial

from tablewright_systems.listbackup.design.accounts import BillingInfo
from tablewright_systems.listbackup.design.activities import (
    RETENTION,
    ActivitiesByResourceType,
    ActivitiesOfAccount,
    ActivitiesOfResource,
    ActivitiesOfUser,
    Activity,
)
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.design.notifications import RETENTION as NOTIFICATION_RETENTION
from tablewright_systems.listbackup.design.notifications import Notification
from tablewright_systems.listbackup.design.oauth import STATE_LIFETIME, OAuthState, OAuthStateOf
from tablewright_systems.listbackup.design.sessions import RefreshToken
from tablewright_systems.listbackup.design.vocabulary import ResourceType
from tablewright_systems.listbackup.proofs.fixtures import (
    REDIRECT_URI,
    SECRET,
    api_key_source,
    new_member,
    new_owner,
    queued_job,
    send_notification,
    start_oauth,
)
from tablewright_systems.listbackup.service import accounts, activities, notifications, oauth, sources
from tablewright_systems.listbackup.service.audit import ORIGIN, Origin
from tablewright_systems.service import Caller, Forbidden, Gone, Paging
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("listbackup")


@PROOFS("A9")
def activities_of_account(context: ProofContext) -> None:
    """Get account activities in a time range, newest first, both ends included."""
    ada, account = new_owner(context.db)
    context.clock.advance(timedelta(minutes=1))
    start = context.db.now()
    jobs = []
    for _ in range(3):
        jobs.append(queued_job(context.db, ada, account.account_id).job_id)
        context.clock.advance(timedelta(seconds=1))
    end = start + timedelta(seconds=1)
    with context.measured():
        activities_found = context.db.all(
            ActivitiesOfAccount(account_id=account.account_id, start=start, end=end)
        )
    assert [activity.resource_id for activity in activities_found] == [jobs[1], jobs[0]]


@PROOFS("A10")
def activities_of_user(context: ProofContext) -> None:
    """Get user activities in a time range; activities of the system have no user."""
    ada, account = new_owner(context.db)
    context.clock.advance(timedelta(minutes=1))
    start = context.db.now()
    job = queued_job(context.db, ada, account.account_id)
    pattern = ActivitiesOfUser(user_id=ada.user_id, start=start, end=start)
    context.eventually(lambda: context.db.all(pattern))
    with context.measured():
        listed = context.db.all(pattern)
    assert [activity.resource_id for activity in listed] == [job.job_id]


@PROOFS("A11")
def activities_by_type(context: ProofContext) -> None:
    """Get the activities of one account by type of resource in a time range, and of no other account."""
    (ada, one), (bob, other) = new_owner(context.db), new_owner(context.db)
    start = context.db.now()
    job = queued_job(context.db, ada, one.account_id)
    queued_job(context.db, bob, other.account_id)
    pattern = ActivitiesByResourceType(
        account_id=one.account_id, resource_type=ResourceType.JOB, start=start, end=start
    )
    context.eventually(lambda: context.db.all(pattern))
    with context.measured():
        listed = context.db.all(pattern)
    assert [activity.resource_id for activity in listed] == [job.job_id]


@PROOFS("A47")
def activities_of_resource(context: ProofContext) -> None:
    """Get the activities of one resource, newest first."""
    ada, account = new_owner(context.db)
    source = api_key_source(context.db, ada, account.account_id)
    api_key_source(context.db, ada, account.account_id)
    context.clock.advance(timedelta(seconds=1))
    sources.pause_source(context.db, ada, account.account_id, source.source_id)
    pattern = ActivitiesOfResource(
        account_id=account.account_id, resource_type=ResourceType.SOURCE, resource_id=source.source_id
    )
    context.eventually(lambda: len(context.db.all(pattern)) == 2)
    with context.measured():
        listed = context.db.all(pattern)
    assert [activity.event_type for activity in listed] == ["source.updated", "source.created"]


@PROOFS("F8")
def every_change_is_recorded(context: ProofContext) -> None:
    """Every change writes an activity in its transaction: before, after, user, origin, and no secrets."""
    ada, account = new_owner(context.db)
    source = api_key_source(context.db, ada, account.account_id)
    context.clock.advance(timedelta(seconds=1))
    now = context.db.now()
    token = ORIGIN.set(Origin("192.0.2.7", "browser/1"))
    try:
        with context.measured():
            sources.change_source(
                context.db, ada, account.account_id, source.source_id, source_name="the shop"
            )
    finally:
        ORIGIN.reset(token)
    (recorded,) = context.db.all(ActivitiesOfAccount(account_id=account.account_id, start=now, end=now))
    assert (recorded.event_type, recorded.action, recorded.user_id) == (
        "source.updated",
        "update",
        ada.user_id,
    )
    assert recorded.details.before == {"sourceName": "our stripe"}
    assert recorded.details.after == {"sourceName": "the shop"}
    assert (recorded.ip_address, recorded.user_agent) == ("192.0.2.7", "browser/1")
    everything = context.db.all(
        ActivitiesOfAccount(account_id=account.account_id, start=now - timedelta(days=1), end=now)
    )
    assert len(everything) >= 3
    assert not any(SECRET in activity.model_dump_json() for activity in everything)
    eve, _ = new_owner(context.db)
    span = {"start": now - timedelta(days=1), "end": now}
    change = partial(sources.change_source, context.db, eve, account.account_id, source.source_id)
    expect_error(Forbidden, lambda: change(source_name="mine"))
    expect_error(Forbidden, lambda: activities.activities_of_account(context.db, eve, account.account_id))
    assert context.db.all(ActivitiesOfAccount(account_id=account.account_id, **span)) == everything
    _fields_are_visible_by_right(context)


def _fields_are_visible_by_right(context: ProofContext) -> None:
    """Billing information in activities is visible to those who may read it, and activities to no outsider."""
    db = context.db
    ada, account = new_owner(db)
    accounts.change_billing(db, ada, account.account_id, BillingInfo(stripe_customer_id="cus_9"))
    guest = new_member(db, ada, account.account_id, AccountRole.READONLY)

    def shown(caller: Caller) -> str:
        return str(list(activities.activities_of_account(db, caller, account.account_id, paging=Paging(100))))

    assert "cus_9" in shown(ada)
    assert "cus_9" not in shown(guest)
    eve, _ = new_owner(db)
    with expect_error(Forbidden):
        shown(eve)


@PROOFS("F18")
def retention(context: ProofContext) -> None:
    """Activities are kept for 90 days, notifications for 30, OAuth states for 15 minutes, sessions until they end."""
    db = context.db
    ada, account = new_owner(db)
    born = db.now()
    state = start_oauth(db, ada, account.account_id)[0].state
    send_notification(db, ada.user_id, account.account_id)

    def recorded() -> int:
        return len(db.all(ActivitiesOfAccount(account_id=account.account_id, start=born, end=born)))

    def shown() -> int:
        return len(db.all(notifications.inbox(db, ada)))

    for entity in (Activity, Notification, OAuthState, RefreshToken):
        assert entity.layout.table.ttl, f"{entity.__name__} is kept for ever"
    context.clock.advance(STATE_LIFETIME - timedelta(seconds=1))
    assert db.run(OAuthStateOf(state=state)) is not None
    context.clock.advance(timedelta(seconds=2))
    assert db.run(OAuthStateOf(state=state)) is None
    expect_error(Gone, lambda: oauth.consume_state(db, ada, state, REDIRECT_URI))
    context.clock.advance(NOTIFICATION_RETENTION - timedelta(days=1))
    assert shown() == 2
    context.clock.advance(timedelta(days=2))
    assert shown() == 0
    context.clock.advance(RETENTION - NOTIFICATION_RETENTION - timedelta(days=2))
    with context.measured():
        assert recorded() > 0
    context.clock.advance(timedelta(days=2))
    assert recorded() == 0
    with expect_error(Gone):
        oauth.consume_state(db, ada, state, REDIRECT_URI)
