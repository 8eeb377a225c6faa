"""Proofs of sources: reading them, their life cycle, their schedule."""

from datetime import timedelta

from tablewright_systems.listbackup.design.jobs import JobStatus, JobType
from tablewright_systems.listbackup.design.sources import (
    Source,
    SourceById,
    SourceOfAccount,
    SourcesByPlatform,
    SourcesByStatus,
    SourcesOfAccount,
    SourceStatus,
    SyncInterval,
    SyncState,
)
from tablewright_systems.listbackup.proofs.fixtures import (
    api_key_source,
    claimed_job,
    fake_platforms,
    new_owner,
    new_worker,
    queued_job,
)
from tablewright_systems.listbackup.service import jobs, queue, sources, syncs, webhooks
from tablewright_systems.service import Conflict, Forbidden, NotFound, Unauthenticated
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("listbackup")


@PROOFS("A6")
def sources_by_account(context: ProofContext) -> None:
    """Get sources by account."""
    ada, account = new_owner(context.db)
    made = {api_key_source(context.db, ada, account.account_id).source_id for _ in range(3)}
    with context.measured():
        listed = context.db.all(SourcesOfAccount(account_id=account.account_id))
    assert {source.source_id for source in listed} == made


@PROOFS("A7")
def sources_by_platform(context: ProofContext) -> None:
    """Get sources by platform: a list, because there may be several."""
    ada, account = new_owner(context.db)
    for platform in ("stripe", "keap", "stripe"):
        api_key_source(context.db, ada, account.account_id, platform)
    pattern = SourcesByPlatform(account_id=account.account_id, platform="stripe")
    context.eventually(lambda: len(context.db.all(pattern)) == 2)
    with context.measured():
        listed = context.db.all(pattern)
    assert [source.platform for source in listed] == ["stripe", "stripe"]


@PROOFS("A8")
def sources_by_status(context: ProofContext) -> None:
    """Get sources by status, in the order of creation."""
    ada, account = new_owner(context.db)
    made = []
    for _ in range(3):
        made.append(api_key_source(context.db, ada, account.account_id).source_id)
        context.clock.advance(timedelta(seconds=1))
    sources.pause_source(context.db, ada, account.account_id, made[1])
    active = SourcesByStatus(account_id=account.account_id, status=SourceStatus.ACTIVE)
    context.eventually(lambda: len(context.db.all(active)) == 2)
    with context.measured():
        listed = context.db.all(active)
    assert [source.source_id for source in listed] == [made[0], made[2]]


@PROOFS("A22")
def source_of_account(context: ProofContext) -> None:
    """Get a source of an account; other accounts do not find it."""
    ada, account = new_owner(context.db)
    source = api_key_source(context.db, ada, account.account_id)
    with context.measured():
        stored = context.db.run(SourceOfAccount(account_id=account.account_id, source_id=source.source_id))
    assert stored == source
    assert context.db.run(SourceOfAccount(account_id="another", source_id=source.source_id)) is None


@PROOFS("A23")
def source_by_id(context: ProofContext) -> None:
    """Get a source by its id alone; only members of its account may read it."""
    ada, account = new_owner(context.db)
    eve, _ = new_owner(context.db)
    source = api_key_source(context.db, ada, account.account_id)
    context.eventually(lambda: context.db.run(SourceById(source_id=source.source_id)))
    with context.measured():
        stored = sources.source_by_id(context.db, ada, source.source_id)
    assert stored == source
    with expect_error(NotFound):
        sources.source_by_id(context.db, eve, source.source_id)


@PROOFS("A43")
def sources_due(context: ProofContext) -> None:
    """Find the sources of all accounts whose next backup is due, the longest overdue first."""
    ada, account = new_owner(context.db)
    first = api_key_source(context.db, ada, account.account_id)
    context.clock.advance(timedelta(seconds=1))
    second = api_key_source(context.db, ada, account.account_id)
    paused = api_key_source(context.db, ada, account.account_id)
    sources.pause_source(context.db, ada, account.account_id, paused.source_id)
    context.clock.advance(timedelta(seconds=1))
    realtime = api_key_source(context.db, ada, account.account_id, interval=SyncInterval.REALTIME)
    ours = {one.source_id for one in (first, second, paused, realtime)}

    def due() -> list[str]:
        listed = [
            due_source.source_id
            for due_source in context.db.iterate(syncs.due_sources(context.db, new_worker()), unknown="skip")
        ]
        return [source_id for source_id in listed if source_id in ours]

    context.eventually(lambda: due() == [first.source_id, second.source_id, realtime.source_id])
    with expect_error(Forbidden):
        syncs.due_sources(context.db, ada)
    with context.measured():
        due()


@PROOFS("F7")
def life_cycle_of_a_source(context: ProofContext) -> None:
    """The life cycle of a source: backed up by its schedule, paused, in error, resumed, deleted."""
    db = context.db
    ada, account = new_owner(db)
    source = api_key_source(db, ada, account.account_id, interval=SyncInterval.HOURLY)
    due, who = source.next_sync_at, new_worker()
    assert due is not None

    def job_id() -> str | None:
        syncs.start_due_syncs(db, who, most=1_000)
        return sources.get_source(db, account.account_id, source.source_id).sync_job_id

    context.clock.advance(timedelta(minutes=90))
    context.eventually(job_id)
    started = sources.get_source(db, account.account_id, source.source_id)
    assert started.next_sync_at == due + timedelta(hours=2), "the schedule does not drift"
    job = claimed_job(db, who, jobs.get_job(db, account.account_id, str(started.sync_job_id)))
    queue.heartbeat(db, who, job, total=200, processed=50)
    running = sources.get_source(db, account.account_id, source.source_id)
    assert (running.sync_status.state, running.sync_status.progress) == (SyncState.SYNCING, 25)
    with context.measured():
        queue.complete(db, who, job, records_processed=200)
    done = sources.get_source(db, account.account_id, source.source_id)
    assert (done.sync_status.state, done.last_sync_at) == (SyncState.IDLE, db.now())

    paused = sources.pause_source(db, ada, account.account_id, source.source_id)
    assert (paused.status, paused.next_sync_at) == (SourceStatus.PAUSED, None)
    resumed = sources.resume_source(db, ada, account.account_id, source.source_id)
    assert resumed.next_sync_at == db.now() + timedelta(hours=1)

    context.clock.advance(timedelta(hours=1))
    context.eventually(job_id)
    again = jobs.get_job(db, account.account_id, str(job_id()))
    job = claimed_job(db, who, again)
    failed = queue.fail(db, who, job, "the key is revoked", is_final=True)
    stopped = sources.get_source(db, account.account_id, source.source_id)
    assert failed.status is JobStatus.FAILED
    assert (stopped.status, stopped.sync_status.state) == (SourceStatus.ERROR, SyncState.ERROR)
    assert stopped.next_sync_at is None
    with expect_error(Conflict, field="sourceId"):
        queued_job(db, ada, account.account_id, JobType.SYNC, source_id=source.source_id)

    sources.delete_source(db, ada, account.account_id, source.source_id)
    with expect_error(NotFound):
        sources.read_source(db, ada, account.account_id, source.source_id)

    with expect_error(NotFound):
        queued_job(db, ada, account.account_id, JobType.SYNC, source_id=source.source_id)
    _realtime(context)


def _realtime(context: ProofContext) -> None:
    """In real time, a signed delivery of the platform makes the source due, once; a forged one does not."""
    db, fakes, who = context.db, fake_platforms(context.db), new_worker()
    ada, account = new_owner(db)
    source = api_key_source(db, ada, account.account_id, interval=SyncInterval.REALTIME)
    webhooks.configure_webhook(db, ada, account.account_id, source.source_id, "whsec_proof")

    def read() -> Source:
        return sources.get_source(db, account.account_id, source.source_id)

    def started() -> bool:
        syncs.start_due_syncs(db, who, most=1_000)
        return read().sync_job_id is not None

    context.eventually(started)
    job = claimed_job(db, who, jobs.get_job(db, account.account_id, str(read().sync_job_id)))
    queue.complete(db, who, job)
    assert read().next_sync_at is None
    with expect_error(Unauthenticated):
        webhooks.receive(db, fakes.platforms(), source.source_id, fakes.stripe.delivery("evt_1", "forged"))
    delivery = fakes.stripe.delivery("evt_1", "whsec_proof")
    assert webhooks.receive(db, fakes.platforms(), source.source_id, delivery)
    assert read().next_sync_at == db.now()
    assert not webhooks.receive(db, fakes.platforms(), source.source_id, delivery), "a replay has no effect"
