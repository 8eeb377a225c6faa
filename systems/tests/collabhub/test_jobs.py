"""Background jobs: however long they paused, no ended access and no ended plan stays (F5, F7, R18, R37)."""

from datetime import timedelta

import pytest
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import AccessStatus, Role, Tier
from tablewright_systems.collabhub.design.tables import main
from tablewright_systems.collabhub.jobs import JOBS
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import access, subscriptions, users
from tablewright_systems.service import Caller, Conflict, JobRun, JobRunner
from tablewright_systems.verification import change_row

from systems.tests.collabhub.table_contents import TableContents, assert_consistent
from tablewright import Clock, Repository


@pytest.fixture
def runner(db: Repository, clock: Clock) -> JobRunner:
    return JobRunner(db.connection, {"collabhub": (db, JOBS)}, clock=clock)


def new_access(db: Repository, lasting: timedelta | None) -> str:
    ada = fixtures.new_user(db, Role.FOUNDER)
    _, request = fixtures.new_access_request(db, fixtures.new_startup(db, ada))
    return fixtures.approve_access(db, ada, request, lasting).access_id


def new_plan(db: Repository, lasting: timedelta) -> Caller:
    """Create a user with a plan that was cancelled, and ends after a time."""
    user = fixtures.new_user(db, Role.INVESTOR)
    ends = db.now() + lasting
    event = fixtures.billing_event(db, user, cancel_at_period_end=True, current_period_end=ends)
    subscriptions.receive_event(db, event)
    return user


@pytest.mark.parametrize(
    "pause", [timedelta(minutes=30), timedelta(days=9), timedelta(days=90), timedelta(days=900)]
)
def test_everything_that_ended_during_a_pause_is_ended(
    db: Repository, clock: Clock, runner: JobRunner, pause: timedelta
) -> None:
    runner.run_due()
    parts = [pause * part / 4 for part in (1, 2, 3, 4)]
    for part in parts:
        new_access(db, part)
        new_plan(db, part)
    kept, lasting = new_access(db, None), new_access(db, pause * 2)
    plan = new_plan(db, pause * 2)
    clock.advance(pause)
    runner.run_due()
    contents = assert_consistent(db)
    approved = {
        request.access_id
        for request in contents.of(design.AccessRequest)
        if request.status == AccessStatus.APPROVED
    }
    assert approved == {kept, lasting}
    paying = {user.user_id for user in contents.of(design.User) if user.subscription_tier != Tier.FREE}
    assert paying == {plan.user_id}


def test_a_second_run_ends_nothing_again(db: Repository, clock: Clock) -> None:
    new_access(db, timedelta(hours=1))
    new_plan(db, timedelta(hours=1))
    clock.advance(timedelta(days=9))
    run = JobRun(db)
    assert (access.end_expired(run), subscriptions.end_cancelled(run)) == (1, 1)
    assert (access.end_expired(run), subscriptions.end_cancelled(run)) == (0, 0)
    ended = [log.action for log in TableContents(db).of(design.AuditLog) if log.user_id is None]
    assert sorted(ended) == ["ACCESS_REVOKED", "SUBSCRIPTION_ACTIVE", "SUBSCRIPTION_ENDED"]


def test_plans_of_banned_users_end_too(db: Repository, clock: Clock) -> None:
    user = new_plan(db, timedelta(hours=1))
    users.ban(db, fixtures.STAFF, user.user_id)
    clock.advance(timedelta(days=9))
    assert subscriptions.end_cancelled(JobRun(db)) == 1
    assert db.get_or_raise(design.UserById(user_id=user.user_id)).subscription_tier == Tier.FREE


def test_a_stopping_process_ends_its_run(db: Repository, clock: Clock) -> None:
    new_access(db, timedelta(hours=1))
    new_plan(db, timedelta(hours=1))
    clock.advance(timedelta(days=1))
    run = JobRun(db)
    run.stop.set()
    assert (access.end_expired(run), subscriptions.end_cancelled(run)) == (0, 0)


def test_rows_that_cannot_be_ended_do_not_keep_others_from_it(db: Repository, clock: Clock) -> None:
    """A subscription of another customer than its user's, and rows that cannot be read, are due first."""
    wrong, plan = new_plan(db, timedelta(hours=1)), new_plan(db, timedelta(hours=3))
    db.update(design.UserById(user_id=wrong.user_id), set={"stripe_customer_id": "cus_other"})
    first, second = new_access(db, timedelta(hours=1)), new_access(db, timedelta(hours=3))
    unreadable_plan = new_plan(db, timedelta(hours=2))
    change_row(db, main, {"PK": f"USER#{unreadable_plan.user_id}", "SK": "SUBSCRIPTION"}, tier="GOLD")
    change_row(db, main, {"PK": f"ACCESS#{first}", "SK": "METADATA"}, accessLevel="SECRET")
    clock.advance(timedelta(days=1))
    with pytest.raises(Conflict):
        subscriptions.end_cancelled(JobRun(db))
    assert access.end_expired(JobRun(db)) == 1
    ended = db.get_or_raise(design.AccessRequestById(access_id=second))
    assert ended.status == AccessStatus.REVOKED
    assert db.get_or_raise(design.UserById(user_id=plan.user_id)).subscription_tier == Tier.FREE
