"""Proofs of jobs: finding them, the queue, their life."""

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
from tablewright_systems.listbackup.proofs.cast import founder, refused
from tablewright_systems.listbackup.proofs.props import claimed, keyed_source, queued, worker
from tablewright_systems.listbackup.service.jobs import jobs, queue
from tablewright_systems.problems import Conflict, Gone, NotFound
from tablewright_systems.proofs import Proofs, Stage

PROOFS = Proofs("listbackup")


@PROOFS("A12", "001:628")
def jobs_of_account(stage: Stage) -> None:
    """Get account jobs, the newest first."""
    ada, account = founder(stage.db)
    made = [queued(stage.db, ada, account.account_id).job_id for _ in range(3)]
    with stage.measured():
        found = stage.db.all(JobsOfAccount(account_id=account.account_id))
    assert [job.job_id for job in found] == made[::-1]


@PROOFS("A13", "001:629")
def jobs_by_status(stage: Stage) -> None:
    """Get jobs by status, the newest first."""
    ada, account = founder(stage.db)
    made = []
    for _ in range(3):
        made.append(queued(stage.db, ada, account.account_id).job_id)
        stage.clock.advance(timedelta(seconds=1))
    jobs.cancel_job(stage.db, ada, account.account_id, made[1])
    pending = JobsByStatus(account_id=account.account_id, status=JobStatus.PENDING)
    stage.eventually(lambda: len(stage.db.all(pending)) == 2)
    with stage.measured():
        found = stage.db.all(pending)
    assert [job.job_id for job in found] == [made[2], made[0]]


@PROOFS("A14", "001:630")
def jobs_of_source(stage: Stage) -> None:
    """Get source jobs by the time of their making; jobs without a source are in no such list."""
    ada, account = founder(stage.db)
    source = keyed_source(stage.db, ada, account.account_id)
    queued(stage.db, ada, account.account_id)
    made = []
    for kind in (JobType.BACKUP, JobType.EXPORT):
        made.append(queued(stage.db, ada, account.account_id, kind, source_id=source.source_id).job_id)
        stage.clock.advance(timedelta(seconds=1))
    asked = JobsOfSource(source_id=source.source_id)
    stage.eventually(lambda: len(stage.db.all(asked)) == 2)
    with stage.measured():
        found = stage.db.all(asked)
    assert [job.job_id for job in found] == made[::-1]


@PROOFS("A24", "001:291")
def job_of_account(stage: Stage) -> None:
    """Get a job of an account."""
    ada, account = founder(stage.db)
    job = queued(stage.db, ada, account.account_id)
    with stage.measured():
        found = stage.db.run(JobOfAccount(account_id=account.account_id, job_id=job.job_id))
    assert found == job


@PROOFS("A25", "001:335")
def job_by_id(stage: Stage) -> None:
    """Get a job by its id alone; told only to its own account."""
    ada, account = founder(stage.db)
    eve, _ = founder(stage.db)
    job = queued(stage.db, ada, account.account_id)
    stage.eventually(lambda: stage.db.run(JobById(job_id=job.job_id)))
    with stage.measured():
        found = jobs.job_by_id(stage.db, ada, job.job_id)
    assert found == job
    with refused(NotFound):
        jobs.job_by_id(stage.db, eve, job.job_id)


@PROOFS("A44", "001:302")
def next_job(stage: Stage) -> None:
    """Find the next pending job of all accounts: by priority, then by schedule, and only what is due."""
    db = stage.db
    (ada, one), (bob, other) = founder(db), founder(db)
    now = db.now()
    later = queued(db, ada, one.account_id, priority=Priority.CRITICAL, scheduled_at=now + timedelta(hours=1))
    low = queued(db, ada, one.account_id, priority=Priority.LOW)
    younger = queued(db, bob, other.account_id, priority=Priority.HIGH)
    older = queued(db, ada, one.account_id, priority=Priority.HIGH, scheduled_at=now - timedelta(minutes=1))
    critical = queued(db, bob, other.account_id, priority=Priority.CRITICAL)
    ours = {job.job_id for job in (later, low, younger, older, critical)}

    def waiting() -> list[str]:
        return [job.job_id for job in queue.waiting_jobs(db, worker()) if job.job_id in ours]

    expected = [job.job_id for job in (critical, older, younger, low)]
    stage.eventually(lambda: waiting() == expected)
    with stage.measured():
        waiting()


@PROOFS("F9", "001:301")
def life_of_a_job(stage: Stage) -> None:
    """A job from queue to end: taken once, kept by heartbeats, tried again, completed, cancelled, given up."""
    db = stage.db
    ada, account = founder(db)
    who, other = worker(), worker()
    job = queued(db, ada, account.account_id, priority=Priority.CRITICAL, max_retries=1)

    with stage.measured():
        taken = claimed(db, who, job)
    lease = queue.lease_of(taken)
    assert (taken.status, taken.worker_id) == (JobStatus.RUNNING, who.user_id)
    with refused(Gone):
        queue.heartbeat(db, other, lease)
    beaten = queue.heartbeat(db, who, lease, total=0, processed=0)
    assert beaten.progress.percentage == 0, "of nothing there is no share"
    assert queue.heartbeat(db, who, lease, total=8, processed=2, failed=1).progress.percentage == 25

    waiting = queue.fail(db, who, lease, "the platform was down")
    assert (waiting.status, waiting.retry_count) == (JobStatus.PENDING, 1)
    assert waiting.available_at is not None
    assert waiting.available_at >= db.now() + queue.FIRST_BACKOFF
    assert queue.fail(db, who, lease, "the platform was down") == waiting, "said twice, done once"

    stage.clock.advance(queue.FIRST_BACKOFF * 2)
    second = queue.lease_of(claimed(db, other, job))
    with refused(Gone):
        queue.complete(db, who, lease)
    done = queue.complete(db, other, second, records_processed=8, failures=["one was odd"])
    assert (done.status, done.progress.percentage) == (JobStatus.COMPLETED, 100)
    assert queue.complete(db, other, second, records_processed=8) == done
    with refused(Conflict, field="status"):
        jobs.cancel_job(db, ada, account.account_id, job.job_id)

    doomed = queued(db, ada, account.account_id, priority=Priority.CRITICAL)
    running = claimed(db, who, doomed)
    jobs.cancel_job(db, ada, account.account_id, doomed.job_id)
    assert queue.heartbeat(db, who, queue.lease_of(running)).cancel_requested
    assert queue.stop(db, who, queue.lease_of(running)).status is JobStatus.CANCELLED

    lost = queued(db, ada, account.account_id, priority=Priority.CRITICAL, max_retries=0)
    claimed(db, who, lost)
    stage.clock.advance(queue.LEASE + timedelta(seconds=1))

    def buried() -> bool:
        while queue.claim(db, other) is not None:
            continue
        return jobs.found_job(db, account.account_id, lost.job_id).status is JobStatus.FAILED

    stage.eventually(buried)
    revived = jobs.retry_job(db, ada, account.account_id, lost.job_id)
    assert (revived.status, revived.retry_count) == (JobStatus.PENDING, 0)
