"""Proofs of jobs: reading them, the queue, their life cycle."""

from datetime import timedelta

from tablewright_systems.listbackup.design.jobs import (
    JobById,
    JobOfAccount,
    JobsByStatus,
    JobsOfAccount,
    JobsOfSource,
    JobStatus,
    JobType,
)
from tablewright_systems.listbackup.design.vocabulary import Priority
from tablewright_systems.listbackup.proofs.backups import back_up_and_restore
from tablewright_systems.listbackup.proofs.fixtures import (
    api_key_source,
    claimed_job,
    new_owner,
    new_worker,
    queued_job,
)
from tablewright_systems.listbackup.service.jobs import jobs, queue
from tablewright_systems.service import Conflict, Gone, NotFound
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("listbackup")


@PROOFS("A12")
def jobs_of_account(context: ProofContext) -> None:
    """Get account jobs, newest first."""
    ada, account = new_owner(context.db)
    made = [queued_job(context.db, ada, account.account_id).job_id for _ in range(3)]
    with context.measured():
        found = context.db.all(JobsOfAccount(account_id=account.account_id))
    assert [job.job_id for job in found] == made[::-1]


@PROOFS("A13")
def jobs_by_status(context: ProofContext) -> None:
    """Get jobs by status, newest first."""
    ada, account = new_owner(context.db)
    made = []
    for _ in range(3):
        made.append(queued_job(context.db, ada, account.account_id).job_id)
        context.clock.advance(timedelta(seconds=1))
    jobs.cancel_job(context.db, ada, account.account_id, made[1])
    pending = JobsByStatus(account_id=account.account_id, status=JobStatus.PENDING)
    context.eventually(lambda: len(context.db.all(pending)) == 2)
    with context.measured():
        found = context.db.all(pending)
    assert [job.job_id for job in found] == [made[2], made[0]]


@PROOFS("A14")
def jobs_of_source(context: ProofContext) -> None:
    """Get source jobs by creation time; jobs without a source are not listed."""
    ada, account = new_owner(context.db)
    source = api_key_source(context.db, ada, account.account_id)
    queued_job(context.db, ada, account.account_id)
    made = []
    for kind in (JobType.BACKUP, JobType.EXPORT):
        made.append(queued_job(context.db, ada, account.account_id, kind, source_id=source.source_id).job_id)
        context.clock.advance(timedelta(seconds=1))
    pattern = JobsOfSource(source_id=source.source_id)
    context.eventually(lambda: len(context.db.all(pattern)) == 2)
    with context.measured():
        found = context.db.all(pattern)
    assert [job.job_id for job in found] == made[::-1]


@PROOFS("A24")
def job_of_account(context: ProofContext) -> None:
    """Get a job of an account."""
    ada, account = new_owner(context.db)
    job = queued_job(context.db, ada, account.account_id)
    with context.measured():
        found = context.db.run(JobOfAccount(account_id=account.account_id, job_id=job.job_id))
    assert found == job


@PROOFS("A25")
def job_by_id(context: ProofContext) -> None:
    """Get a job by its id alone; only members of its account may read it."""
    ada, account = new_owner(context.db)
    eve, _ = new_owner(context.db)
    job = queued_job(context.db, ada, account.account_id)
    context.eventually(lambda: context.db.run(JobById(job_id=job.job_id)))
    with context.measured():
        found = jobs.job_by_id(context.db, ada, job.job_id)
    assert found == job
    with expect_error(NotFound):
        jobs.job_by_id(context.db, eve, job.job_id)


@PROOFS("A44")
def next_job(context: ProofContext) -> None:
    """Find the next pending job of all accounts: by priority, then by schedule, and only jobs that are due."""
    db = context.db
    (ada, one), (bob, other) = new_owner(db), new_owner(db)
    now = db.now()
    later = queued_job(
        db, ada, one.account_id, priority=Priority.CRITICAL, scheduled_at=now + timedelta(hours=1)
    )
    low = queued_job(db, ada, one.account_id, priority=Priority.LOW)
    younger = queued_job(db, bob, other.account_id, priority=Priority.HIGH)
    older = queued_job(
        db, ada, one.account_id, priority=Priority.HIGH, scheduled_at=now - timedelta(minutes=1)
    )
    critical = queued_job(db, bob, other.account_id, priority=Priority.CRITICAL)
    ours = {job.job_id for job in (later, low, younger, older, critical)}

    def waiting() -> list[str]:
        return [
            job.job_id
            for job in db.iterate(queue.waiting_jobs(db, new_worker()), unknown="skip")
            if job.job_id in ours
        ]

    expected = [job.job_id for job in (critical, older, younger, low)]
    context.eventually(lambda: waiting() == expected)
    with context.measured():
        waiting()


@PROOFS("F9")
def life_cycle_of_a_job(context: ProofContext) -> None:
    """The life cycle of a job: claimed once, kept by heartbeats, retried, completed, cancelled, failed; its work."""
    back_up_and_restore(context)
    db = context.db
    ada, account = new_owner(db)
    who, other = new_worker(), new_worker()
    job = queued_job(db, ada, account.account_id, priority=Priority.CRITICAL, max_retries=1)

    with context.measured():
        taken = claimed_job(db, who, job)
    lease = taken
    assert (taken.status, taken.worker_id) == (JobStatus.RUNNING, who.user_id)
    with expect_error(Gone):
        queue.heartbeat(db, other, lease)
    beaten = queue.heartbeat(db, who, lease, total=0, processed=0)
    assert beaten.progress.percentage == 0, "without a total there is no percentage"
    assert queue.heartbeat(db, who, lease, total=8, processed=2, failed=1).progress.percentage == 25

    waiting = queue.fail(db, who, lease, "the platform was down")
    assert (waiting.status, waiting.retry_count) == (JobStatus.PENDING, 1)
    assert waiting.available_at is not None
    assert waiting.available_at >= db.now() + queue.FIRST_BACKOFF
    assert queue.fail(db, who, lease, "the platform was down") == waiting, "a repeated call has no effect"

    context.clock.advance(queue.FIRST_BACKOFF * 2)
    second = claimed_job(db, other, job)
    with expect_error(Gone):
        queue.complete(db, who, lease)
    done = queue.complete(db, other, second, records_processed=8, failures=["one record was invalid"])
    assert (done.status, done.progress.percentage) == (JobStatus.COMPLETED, 100)
    assert queue.complete(db, other, second, records_processed=8) == done
    with expect_error(Conflict, field="status"):
        jobs.cancel_job(db, ada, account.account_id, job.job_id)

    doomed = queued_job(db, ada, account.account_id, priority=Priority.CRITICAL)
    running = claimed_job(db, who, doomed)
    jobs.cancel_job(db, ada, account.account_id, doomed.job_id)
    assert queue.heartbeat(db, who, running).cancel_requested
    assert queue.stop(db, who, running).status is JobStatus.CANCELLED

    lost = queued_job(db, ada, account.account_id, priority=Priority.CRITICAL, max_retries=0)
    claimed_job(db, who, lost)
    context.clock.advance(queue.LEASE.length + timedelta(seconds=1))

    def failed() -> bool:
        while queue.claim(db, other) is not None:
            continue
        return jobs.get_job(db, account.account_id, lost.job_id).status is JobStatus.FAILED

    context.eventually(failed)
    revived = jobs.retry_job(db, ada, account.account_id, lost.job_id)
    assert (revived.status, revived.retry_count) == (JobStatus.PENDING, 0)
