"""How a worker ends a job: retries, waits for rate limits, stops, respects pauses, limits and cancellation."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import httpx
import pytest
from tablewright_systems.listbackup.design.accounts import Plan
from tablewright_systems.listbackup.design.jobs import Job, JobStatus, JobType
from tablewright_systems.listbackup.design.notifications import NotificationsOfUser
from tablewright_systems.listbackup.design.sources import SourceStatus
from tablewright_systems.listbackup.design.vocabulary import Priority
from tablewright_systems.listbackup.fakes.fake_platform import API_KEY, RETRY_AFTER
from tablewright_systems.listbackup.proofs.fixtures import STAFF
from tablewright_systems.listbackup.service import jobs, limits, queue, sources
from tablewright_systems.listbackup.service.access import get_account
from tablewright_systems.service import Caller, Conflict, Gone

from systems.tests.listbackup.backup_setup import SIZE, BackupSetup
from tablewright import Clock, Repository


def replace_serve(fake: Any, serve: Callable[..., Any]) -> None:
    """Replace the function of a fake that serves requests."""
    fake.serve = serve


def on_request(setup: BackupSetup, number: int, act: Callable[[], Any]) -> None:
    """Act during a request to keap; the numbers begin with 1."""
    serve, seen = setup.fakes.keap.serve, []

    def serve_and_act(*values: Any) -> Any:
        seen.append(values)
        if len(seen) == number:
            act()
        return serve(*values)

    replace_serve(setup.fakes.keap, serve_and_act)


def contacts_read(setup: BackupSetup) -> list[str]:
    return [str(request.url) for request in setup.fakes.keap.requests if "contacts" in str(request.url)]


def test_jobs_are_done_by_priority(setup: BackupSetup) -> None:
    source = setup.source()
    low = setup.queue(JobType.BACKUP, source, priority=Priority.LOW)
    high = setup.queue(JobType.BACKUP, source, priority=Priority.CRITICAL)
    worker = setup.worker()
    assert [job and job.job_id for job in (worker.run_next(), worker.run_next(), worker.run_next())] == [
        high.job_id,
        low.job_id,
        None,
    ]


def test_a_rate_limited_job_waits_in_the_queue_without_a_lost_attempt(setup: BackupSetup) -> None:
    job = setup.queue(JobType.BACKUP, setup.source(), max_retries=0)
    on_request(setup, 2, lambda: setattr(setup.fakes.keap.faults, "throttled", 1))
    setup.worker().run()
    waiting = setup.job(job)
    assert (waiting.status, waiting.retry_count) == (JobStatus.PENDING, 0)
    assert waiting.available_at == setup.db.now() + timedelta(seconds=RETRY_AFTER)
    assert waiting.checkpoint is not None
    assert waiting.checkpoint.processed > 0, "what was read before the limit is stored"
    setup.clock.advance(RETRY_AFTER)
    setup.worker().run()
    assert setup.job(job).status is JobStatus.COMPLETED
    assert len(setup.records(setup.archive(setup.job(job)), "contacts")) == SIZE


def test_a_platform_that_allows_one_page_at_a_time_is_read_to_the_end(setup: BackupSetup) -> None:
    job = setup.queue(JobType.BACKUP, setup.source(), max_retries=0)
    serve = setup.fakes.keap.serve

    def serve_and_limit(*values: Any) -> Any:
        setup.fakes.keap.faults.throttled = 1
        return serve(*values)

    replace_serve(setup.fakes.keap, serve_and_limit)
    for _ in range(30):
        setup.worker(chunk_records=10_000).run()
        if setup.job(job).status is JobStatus.COMPLETED:
            break
        setup.clock.advance(RETRY_AFTER)
    archive = setup.archive(setup.job(job))
    assert setup.records(archive, "contacts").keys() == setup.fakes.keap.records["contacts"].keys()
    assert archive.records == sum(archive.counts.values())


def test_a_failing_platform_is_tried_again_later_from_the_checkpoint(setup: BackupSetup) -> None:
    job = setup.queue(JobType.BACKUP, setup.source(), max_retries=1)
    on_request(setup, 2, lambda: setattr(setup.fakes.keap.faults, "failing", 10))
    setup.worker().run()
    waiting = setup.job(job)
    assert (waiting.status, waiting.retry_count) == (JobStatus.PENDING, 1)
    assert waiting.available_at is not None
    assert waiting.available_at >= setup.db.now() + queue.FIRST_BACKOFF
    assert waiting.progress.processed > 0
    setup.fakes.keap.faults.failing = 0
    already_read = contacts_read(setup)[0]
    setup.fakes.keap.requests.clear()
    setup.clock.advance(queue.FIRST_BACKOFF * 2)
    setup.worker().run()
    assert setup.job(job).status is JobStatus.COMPLETED
    assert already_read not in contacts_read(setup), "the first page is not read again"


def test_a_job_that_fails_for_good_frees_its_storage_and_notifies_its_creator(setup: BackupSetup) -> None:
    job = setup.queue(JobType.BACKUP, setup.source(), max_retries=0)
    on_request(setup, 2, lambda: setattr(setup.fakes.keap.faults, "failing", 10))
    setup.worker().run()
    failed = setup.job(job)
    assert failed.status is JobStatus.FAILED
    assert failed.result is not None
    assert "keap" in failed.result.errors[0]
    assert (setup.storage_used(), setup.files()) == (0, [])
    notifications = setup.db.all(NotificationsOfUser(user_id=setup.caller.user_id))
    assert any("backup has failed" in notification.subject for notification in notifications)


def test_rejected_credentials_stop_the_source_and_name_no_secret(setup: BackupSetup) -> None:
    source = setup.source()
    setup.fakes.keap.api_keys.clear()
    job = setup.run(JobType.BACKUP, source)
    assert job.status is JobStatus.FAILED
    assert job.result is not None
    assert API_KEY not in str(job)
    stopped = sources.get_source(setup.db, setup.account_id, source.source_id)
    assert (stopped.status, stopped.next_sync_at) == (SourceStatus.ERROR, None)
    with pytest.raises(Conflict, match="is error"):
        setup.queue(JobType.BACKUP, source)


@pytest.mark.parametrize("job_type", [JobType.BACKUP, JobType.EXPORT, JobType.SYNC])
def test_jobs_of_paused_and_deleted_sources_are_rejected_and_cancelled(
    setup: BackupSetup, job_type: JobType
) -> None:
    paused, deleted = setup.source(), setup.source()
    waiting = [setup.queue(job_type, source) for source in (paused, deleted)]
    sources.pause_source(setup.db, setup.caller, setup.account_id, paused.source_id)
    sources.delete_source(setup.db, setup.caller, setup.account_id, deleted.source_id)
    with pytest.raises(Conflict, match="is paused" if job_type is not JobType.SYNC else "already|paused"):
        setup.queue(job_type, paused)
    setup.fakes.keap.requests.clear()
    setup.worker().run()
    ended = [setup.job(job) for job in waiting]
    assert [job.status for job in ended] == [JobStatus.CANCELLED] * 2
    assert [job.result and job.result.errors for job in ended] == [
        [f"source {paused.source_id} is paused"],
        [f"source {deleted.source_id} was deleted"],
    ]
    assert setup.fakes.keap.requests == []


def test_a_backup_beyond_the_storage_limit_stops_with_a_clear_reason(setup: BackupSetup) -> None:
    limits.change_plan(setup.db, STAFF, setup.account_id, Plan.FREE)
    source = setup.source()
    account = get_account(setup.db, setup.account_id)
    setup.db.transact(limits.use(account, storage=account.limits.storage - 3_000))
    job = setup.run(JobType.BACKUP, source)
    assert job.status is JobStatus.FAILED
    assert job.result is not None
    assert "allows at most 1000000000 bytes of storage" in job.result.errors[0]
    assert setup.storage_used() == account.limits.storage - 3_000
    assert setup.files() == []
    setup.db.transact(limits.use(account, storage=3_000))
    with pytest.raises(Conflict, match="bytes of storage"):
        setup.queue(JobType.BACKUP, source)


def test_a_cancelled_job_stops_and_deletes_what_it_stored(setup: BackupSetup) -> None:
    job = setup.queue(JobType.BACKUP, setup.source())
    on_request(setup, 2, partial(jobs.cancel_job, setup.db, setup.caller, setup.account_id, job.job_id))
    setup.worker().run()
    assert setup.job(job).status is JobStatus.CANCELLED
    assert (setup.storage_used(), setup.files()) == (0, [])


def test_a_stopping_worker_releases_its_job_with_its_checkpoint(setup: BackupSetup) -> None:
    job = setup.queue(JobType.BACKUP, setup.source(), max_retries=0)
    stopping: list[bool] = []
    on_request(setup, 1, lambda: stopping.append(True))
    setup.worker(is_stopping=lambda: bool(stopping)).run()
    released = setup.job(job)
    assert (released.status, released.retry_count) == (JobStatus.PENDING, 0)
    assert released.checkpoint is not None
    assert 0 < released.checkpoint.processed < SIZE
    assert released.progress.processed == released.checkpoint.processed
    setup.worker().run()
    assert len(setup.records(setup.archive(setup.job(job)), "contacts")) == SIZE


def test_a_worker_that_lost_its_lease_stores_nothing_more(setup: BackupSetup) -> None:
    """Another worker finishes the job while the first one waits for the platform."""
    job = setup.queue(JobType.BACKUP, setup.source())
    ended: list[Job | None] = []

    def let_another_worker_finish() -> None:
        setup.clock.advance(queue.LEASE.length + timedelta(seconds=1))
        ended.append(setup.worker().run_next())

    on_request(setup, 2, let_another_worker_finish)
    setup.worker().run_next()
    assert [item and item.status for item in ended] == [JobStatus.COMPLETED]
    archive = setup.archive(setup.job(job))
    assert setup.records(archive, "contacts").keys() == setup.fakes.keap.records["contacts"].keys()
    assert archive.records == sum(archive.counts.values()) == setup.job(job).progress.total
    assert setup.storage_used() == archive.size


def test_a_long_read_renews_the_lease(setup: BackupSetup) -> None:
    job = setup.queue(JobType.BACKUP, setup.source())
    serve = setup.fakes.keap.serve

    def serve_slowly(*values: Any) -> Any:
        setup.clock.advance(queue.LEASE.length * 0.6)
        return serve(*values)

    replace_serve(setup.fakes.keap, serve_slowly)
    setup.worker(chunk_records=10_000).run()
    done = setup.job(job)
    assert (done.status, done.retry_count) == (JobStatus.COMPLETED, 0)


def test_an_unexpected_error_is_retried_and_tells_users_no_details(
    setup: BackupSetup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    job = setup.queue(JobType.BACKUP, setup.source(), max_retries=1)

    def fail(*values: Any) -> None:
        raise OSError("/secret/path: disk full")

    monkeypatch.setattr(setup.store, "put", fail, raising=False)
    setup.worker().run()
    waiting = setup.job(job)
    assert (waiting.status, waiting.retry_count) == (JobStatus.PENDING, 1)
    assert waiting.result is not None
    assert waiting.result.errors == ["internal error (OSError)"]
    assert "disk full" in caplog.text


def test_a_rejected_record_is_reported_and_the_others_are_written(setup: BackupSetup) -> None:
    source = setup.source("gohighlevel", ("contacts",))
    backup = setup.archive(setup.run(JobType.BACKUP, source))
    fake, serve = setup.fakes.gohighlevel, setup.fakes.gohighlevel.serve
    rejected = sorted(fake.records["contacts"])[4]

    def serve_and_reject(method: str, path: str, query: Any, request: httpx.Request) -> Any:
        if method == "PUT" and rejected in path:
            return type(serve(method, path, query, request))({"message": "name is too long"}, 422)
        return serve(method, path, query, request)

    replace_serve(fake, serve_and_reject)
    job = setup.run(JobType.IMPORT, source, options={"backupId": backup.archive_id})
    assert job.result is not None
    assert (job.status, job.result.records_processed, job.progress.failed) == (JobStatus.COMPLETED, SIZE, 1)
    (error,) = job.result.errors
    assert rejected in error


def test_a_restore_continues_after_the_last_written_record(setup: BackupSetup) -> None:
    source = setup.source("gohighlevel", ("contacts",))
    backup = setup.archive(setup.run(JobType.BACKUP, source))
    job = setup.queue(JobType.IMPORT, source, options={"backupId": backup.archive_id}, max_retries=0)
    fake, serve, written = setup.fakes.gohighlevel, setup.fakes.gohighlevel.serve, []

    def serve_and_limit(method: str, path: str, query: Any, request: httpx.Request) -> Any:
        if method == "PUT":
            written.append(path)
            fake.faults.throttled = int(len(written) % 60 == 0)
        return serve(method, path, query, request)

    replace_serve(fake, serve_and_limit)
    while setup.job(job).status is not JobStatus.COMPLETED:
        setup.worker().run()
        setup.clock.advance(RETRY_AFTER)
    assert len(written) == len(set(written)) == SIZE


def test_a_late_checkpoint_is_rejected(setup: BackupSetup, db: Repository, clock: Clock) -> None:
    setup.queue(JobType.BACKUP, setup.source())
    worker = Caller("worker-1", {"roles": ["worker"]})
    late = queue.claim(db, worker)
    assert late is not None
    clock.advance(queue.LEASE.length + timedelta(seconds=1))
    assert queue.claim(db, Caller("worker-2", {"roles": ["worker"]})) is not None
    with pytest.raises(Gone):
        queue.postpone(db, worker, late, timedelta(seconds=1), "late")


def dies(*values: Any) -> None:
    raise SystemExit("killed")


def test_a_job_whose_workers_die_is_finished_as_long_as_each_makes_progress(setup: BackupSetup) -> None:
    job = setup.queue(JobType.BACKUP, setup.source(data_types=("contacts",)), max_retries=1)
    for _ in range(2):
        on_request(setup, 2, dies)
        with pytest.raises(SystemExit):
            setup.worker(chunk_records=1).run()
        del setup.fakes.keap.__dict__["serve"]
        setup.clock.advance(queue.LEASE.length + timedelta(seconds=1))
    setup.worker().run()
    assert setup.job(job).status is JobStatus.COMPLETED
    assert len(setup.records(setup.archive(setup.job(job)), "contacts")) == SIZE


def test_a_job_that_kills_its_workers_at_one_place_fails(setup: BackupSetup) -> None:
    job = setup.queue(JobType.BACKUP, setup.source(), max_retries=1)
    replace_serve(setup.fakes.keap, dies)
    for _ in range(2):
        with pytest.raises(SystemExit):
            setup.worker().run()
        setup.clock.advance(queue.LEASE.length + timedelta(seconds=1))
    setup.worker().run()
    assert setup.job(job).status is JobStatus.FAILED
