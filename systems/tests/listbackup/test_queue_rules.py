"""Rules of the document's jobs and schedules. Each test is named after its rule in REQUIREMENTS.md."""

from datetime import timedelta

import pytest
from tablewright_systems.listbackup.design.accounts import AccountStatus
from tablewright_systems.listbackup.design.jobs import (
    Job,
    JobsAvailable,
    JobStatus,
    JobType,
)
from tablewright_systems.listbackup.design.notifications import (
    Channel,
)
from tablewright_systems.listbackup.design.sources import (
    Source,
    SourceConfig,
    SourceStatus,
    SyncInterval,
    SyncState,
)
from tablewright_systems.listbackup.design.vocabulary import Priority
from tablewright_systems.listbackup.proofs.fixtures import (
    STAFF,
    api_key_source,
    claimed_job,
    new_worker,
    queued_job,
)
from tablewright_systems.listbackup.service import accounts, jobs, notifications, queue, sources, syncs
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Forbidden, Invalid, NotFound

from systems.tests.listbackup.faulty_store import items_of
from tablewright import Clock, Repository

DAY = timedelta(days=1)


def test_r18_the_queue_is_spread_over_shards(db: Repository, caller: Caller, account_id: str) -> None:
    for _ in range(20):
        queued_job(db, caller, account_id)
    items = items_of(db, Job)
    assert {item["jobId"]["S"] for item in items} == {
        item["jobId"]["S"] for item in items if "status" in item
    }
    assert len({item["queueShard"]["S"] for item in items}) > 1


def test_r21_only_waiting_jobs_are_in_the_queue_by_numeric_urgency(
    db: Repository, caller: Caller, account_id: str
) -> None:
    for priority in (Priority.MEDIUM, Priority.CRITICAL, Priority.LOW, Priority.HIGH):
        queued_job(db, caller, account_id, priority=priority)
    who, order = new_worker(), []
    while (job := queue.claim(db, who)) is not None:
        order.append(job.priority)
        queue.complete(db, who, job)
    assert order == [Priority.CRITICAL, Priority.HIGH, Priority.MEDIUM, Priority.LOW]
    assert not any("queueShard" in item for item in items_of(db, Job))
    assert all(not db.all(JobsAvailable(shard=s, rank=r, now=db.now())) for s in range(4) for r in range(4))


def test_r22_a_job_without_a_source_has_no_source_attribute(
    db: Repository, caller: Caller, account_id: str
) -> None:
    queued_job(db, caller, account_id)
    (item,) = items_of(db, Job)
    assert "sourceId" not in item
    with pytest.raises(Invalid, match="needs a sourceId"):
        queued_job(db, caller, account_id, JobType.SYNC)
    with pytest.raises(NotFound):
        queued_job(db, caller, account_id, source_id="none-such")


def test_r36_attempts_are_counted_and_limited(
    db: Repository, clock: Clock, caller: Caller, account_id: str
) -> None:
    who = new_worker()
    job = queued_job(db, caller, account_id, max_retries=2)
    waits = []
    for _ in range(2):
        taken = claimed_job(db, who, job)
        failed = queue.fail(db, who, taken, "down")
        assert failed.available_at is not None
        waits.append(failed.available_at - db.now())
        assert queue.claim(db, who) is None, "not before its time"
        clock.advance(waits[-1])
    assert waits[0] * 2 == waits[1], "twice as long each time"
    taken = claimed_job(db, who, job)
    clock.advance(queue.LEASE.length + timedelta(seconds=1))
    assert queue.claim(db, who) is None, "the worker died, and there is no attempt left"
    dead = jobs.get_job(db, account_id, job.job_id)
    assert (dead.status, dead.retry_count) == (JobStatus.FAILED, 2)
    assert dead.result is not None
    assert len(dead.result.errors) == 3
    recorded = db.all(notifications.inbox(db, caller))
    assert {item.type for item in recorded} == {Channel.IN_APP, Channel.EMAIL}
    assert all(item.data.resource_id == job.job_id for item in recorded)


def test_r36_a_job_of_a_dead_worker_can_be_cancelled(
    db: Repository, clock: Clock, caller: Caller, account_id: str
) -> None:
    job = queued_job(db, caller, account_id)
    claimed_job(db, new_worker(), job)
    assert jobs.cancel_job(db, caller, account_id, job.job_id).status is JobStatus.RUNNING
    clock.advance(queue.LEASE.length + timedelta(seconds=1))
    assert queue.claim(db, new_worker()) is None
    assert jobs.get_job(db, account_id, job.job_id).status is JobStatus.CANCELLED
    assert jobs.cancel_job(db, caller, account_id, job.job_id).status is JobStatus.CANCELLED


def test_r36_invalid_progress_is_rejected(db: Repository, caller: Caller, account_id: str) -> None:
    who = new_worker()
    lease = claimed_job(db, who, queued_job(db, caller, account_id))
    assert queue.heartbeat(db, who, lease, total=0, processed=7).progress.percentage == 0
    assert queue.heartbeat(db, who, lease, total=3, processed=1).progress.percentage == 33
    for counts in ({"total": 3, "processed": 4}, {"total": 3, "processed": 1, "failed": 2}):
        with pytest.raises(Invalid):
            queue.heartbeat(db, who, lease, **counts)
    with pytest.raises(Forbidden):
        queue.heartbeat(db, caller, lease)
    released = queue.release(db, who, lease)
    assert (released.status, released.retry_count) == (JobStatus.PENDING, 0)


def test_r36_jobs_of_a_suspended_account_wait(
    db: Repository, clock: Clock, caller: Caller, account_id: str
) -> None:
    job = queued_job(db, caller, account_id)
    api_key_source(db, caller, account_id)
    accounts.set_account_status(db, STAFF, account_id, AccountStatus.SUSPENDED)
    assert queue.claim(db, new_worker()) is None
    assert syncs.start_due_syncs(db, new_worker()) == []
    accounts.set_account_status(db, STAFF, account_id, AccountStatus.ACTIVE)
    assert queue.claim(db, new_worker()) is None
    clock.advance(queue.POSTPONED)
    taken = queue.claim(db, new_worker())
    assert taken is not None
    assert (taken.job_id, taken.retry_count) == (job.job_id, 0)


def test_r54_the_schedule_does_not_drift(
    db: Repository, clock: Clock, caller: Caller, account_id: str
) -> None:
    source = api_key_source(db, caller, account_id, interval=SyncInterval.HOURLY)
    due, who = source.next_sync_at, new_worker()
    assert due is not None
    clock.advance(timedelta(minutes=10))
    (job,) = syncs.start_due_syncs(db, who)
    assert job.scheduled_at == due
    lease = claimed_job(db, who, job)
    clock.advance(timedelta(minutes=55))
    assert syncs.start_due_syncs(db, who) == [], "the last one is still at it"
    queue.heartbeat(db, who, lease)
    queue.complete(db, who, lease)
    after = sources.get_source(db, account_id, source.source_id)
    assert after.next_sync_at == due + timedelta(hours=2)
    realtime = api_key_source(db, caller, account_id, interval=SyncInterval.REALTIME)
    assert realtime.next_sync_at == db.now(), "the first backup does not wait for a change"
    (first,) = syncs.start_due_syncs(db, who)
    queue.complete(db, who, claimed_job(db, who, first))
    (item,) = [item for item in items_of(db, Source) if item["sourceId"]["S"] == realtime.source_id]
    assert not {"nextSyncAt", "dueShard"} & item.keys()
    daily = sources.change_source(
        db, caller, account_id, realtime.source_id, config=SourceConfig(sync_interval=SyncInterval.DAILY)
    )
    assert daily.next_sync_at == db.now() + timedelta(days=1)


def test_r55_a_failed_attempt_does_not_fail_the_source(
    db: Repository, clock: Clock, caller: Caller, account_id: str
) -> None:
    source = api_key_source(db, caller, account_id)
    who = new_worker()
    job = queued_job(db, caller, account_id, JobType.SYNC, source_id=source.source_id, max_retries=1)
    failed = queue.fail(db, who, claimed_job(db, who, job), "down")
    once = sources.get_source(db, account_id, source.source_id)
    assert (once.status, once.sync_status.state) == (SourceStatus.ACTIVE, SyncState.ERROR)
    clock.advance(queue.MAX_BACKOFF)
    queue.fail(db, who, claimed_job(db, who, failed), "down")
    twice = sources.get_source(db, account_id, source.source_id)
    assert (twice.status, twice.sync_status.message) == (SourceStatus.ERROR, "down")
    resumed = sources.resume_source(db, caller, account_id, source.source_id)
    assert (resumed.status, resumed.next_sync_at) == (SourceStatus.ACTIVE, db.now())
    assert jobs.retry_job(db, caller, account_id, job.job_id).status is JobStatus.PENDING
