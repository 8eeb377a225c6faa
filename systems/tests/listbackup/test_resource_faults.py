"""Jobs, sources, tags and notifications on a faulty store: never done twice, never lost, never wrong."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from tablewright_systems.listbackup.design.activities import ActivitiesOfResource
from tablewright_systems.listbackup.design.jobs import Job, JobsOfAccount, JobStatus, JobType
from tablewright_systems.listbackup.design.notifications import (
    Channel,
    Notification,
    NotificationsOfUser,
    NotificationStatus,
)
from tablewright_systems.listbackup.design.sources import Source, SourcesOfAccount
from tablewright_systems.listbackup.design.tags import ResourcesWithTag, Tag, TaggedResource
from tablewright_systems.listbackup.design.vocabulary import ResourceType
from tablewright_systems.listbackup.proofs import activities as activity_proofs
from tablewright_systems.listbackup.proofs import jobs as job_proofs
from tablewright_systems.listbackup.proofs import notifications as notification_proofs
from tablewright_systems.listbackup.proofs import oauth as oauth_proofs
from tablewright_systems.listbackup.proofs import sources as source_proofs
from tablewright_systems.listbackup.proofs import tags as tag_proofs
from tablewright_systems.listbackup.proofs.fixtures import (
    api_key_source,
    new_owner,
    new_worker,
    queued_job,
    reload_account,
    send_notification,
)
from tablewright_systems.listbackup.proofs.tags import name_of
from tablewright_systems.listbackup.service import delivery, jobs, notifications, queue, sources, syncs, tags
from tablewright_systems.registry import find
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, NotFound
from tablewright_systems.verification import Proof
from tablewright_systems.verification.proof_runner import proof_context

from systems.tests.listbackup.faulty_store import (
    BROKEN,
    BUSY,
    START,
    faulty_store,
    items_of,
    retry_until_known,
)
from systems.tests.races import race, winners
from tablewright import Clock, Faults, Repository

LAG = timedelta(seconds=30)
MAIL = (Channel.EMAIL,)
FAULTS = [
    pytest.param({**BUSY, "short_pages": 0.5, "unprocessed": 0.3}, id="busy"),
    pytest.param(BROKEN, id="broken"),
]
PROOFS = [
    proof
    for area in (
        activity_proofs,
        oauth_proofs,
        job_proofs,
        notification_proofs,
        source_proofs,
        tag_proofs,
    )
    for proof in area.PROOFS
]


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.number)
def test_proof_holds_on_a_busy_store(proof: Proof) -> None:
    system = find("listbackup")
    assert system is not None
    busy = Faults(seed=3, throttling=0.05, conflicts=0.05, unprocessed=0.3, short_pages=0.5)
    with proof_context(system, faults=busy) as context, context.new_measurement():
        proof.run(context)


def events(db: Repository, job: Job) -> Counter[str]:
    """How often each event of a job was recorded."""
    pattern = ActivitiesOfResource(
        account_id=job.account_id, resource_type=ResourceType.JOB, resource_id=job.job_id
    )
    return Counter(item.event_type for item in retry_until_known(db.all, pattern))


@pytest.mark.parametrize("faults", FAULTS)
@pytest.mark.parametrize("seed", range(2))
def test_every_job_is_completed_once(faults: dict[str, Any], seed: int) -> None:
    clock = Clock(START)
    with faulty_store(clock, seed=seed, **faults) as db:
        ada, account = retry_until_known(new_owner, db)
        for _ in range(8):
            retry_until_known(queued_job, db, ada, account.account_id)

        def work(worker: Caller) -> None:
            while (job := retry_until_known(queue.claim, db, worker)) is not None:
                retry_until_known(queue.complete, db, worker, job, records_processed=1)

        race(*(partial(work, new_worker()) for _ in range(3)))
        for _ in range(2):  # a job whose claim got no reply can be claimed again when its lease expires
            clock.advance(queue.LEASE.length + timedelta(seconds=1))
            work(new_worker())
        result = retry_until_known(db.all, JobsOfAccount(account_id=account.account_id))
        assert len(result) >= 8
        assert all(job.status is JobStatus.COMPLETED for job in result)
        assert all(events(db, job)["backup.completed"] == 1 for job in result)


@pytest.mark.parametrize("faults", FAULTS)
@pytest.mark.parametrize("seed", range(2))
def test_sources_syncs_and_counters_are_consistent(faults: dict[str, Any], seed: int) -> None:
    with faulty_store(seed=seed, **faults) as db:
        ada, account = retry_until_known(new_owner, db)
        for _ in range(5):
            retry_until_known(api_key_source, db, ada, account.account_id)
        race(*(partial(retry_until_known, syncs.start_due_syncs, db, new_worker()) for _ in range(4)))
        retry_until_known(syncs.start_due_syncs, db, new_worker())
        result = retry_until_known(db.all, SourcesOfAccount(account_id=account.account_id))
        assert (
            retry_until_known(reload_account, db, account).sources_used
            == len(result)
            == len(retry_until_known(items_of, db, Source))
        )
        started = retry_until_known(db.all, JobsOfAccount(account_id=account.account_id))
        assert Counter(job.source_id for job in started) == Counter(item.source_id for item in result)
        assert {job.job_id for job in started} == {item.sync_job_id for item in result}


@pytest.mark.parametrize("faults", FAULTS)
@pytest.mark.parametrize("seed", range(2))
def test_tags_and_their_counters_are_consistent(faults: dict[str, Any], seed: int) -> None:
    with faulty_store(seed=seed, **faults) as db:
        ada, account = retry_until_known(new_owner, db)
        tag = _tag(db, ada, account.account_id)
        made = [retry_until_known(api_key_source, db, ada, account.account_id).source_id for _ in range(4)]
        race(*(partial(retry_until_known, tags.attach, db, ada, name_of(tag), item) for item in made))
        race(
            partial(retry_until_known, tags.detach, db, ada, name_of(tag), made[0]),
            partial(retry_until_known, sources.delete_source, db, ada, account.account_id, made[1]),
        )
        attached = _tagged_resources(db, tag)
        assert retry_until_known(tags.read_tag, db, ada, name_of(tag)).resource_count == len(attached)
        assert set(attached) <= set(made[2:]) | {made[0]}
        retry_until_known(tags.delete_tag, db, ada, name_of(tag))
        assert retry_until_known(items_of, db, TaggedResource) == []


@pytest.mark.parametrize("faults", FAULTS)
def test_no_notification_is_sent_twice(faults: dict[str, Any]) -> None:
    with faulty_store(seed=1, **faults) as db:
        ada, account = retry_until_known(new_owner, db)
        for _ in range(5):
            retry_until_known(send_notification, db, ada.user_id, account.account_id, channels=MAIL)
        sent: Counter[str] = Counter()

        def send(notification: Notification) -> None:
            sent[notification.notification_id] += 1

        race(*(partial(retry_until_known, delivery.send_all, db, new_worker(), send) for _ in range(3)))
        assert sent
        assert all(count == 1 for count in sent.values())
        result = retry_until_known(db.all, NotificationsOfUser(user_id=ada.user_id))
        out = {item.notification_id for item in result if item.status is NotificationStatus.SENT}
        assert out
        assert out <= sent.keys()


def test_a_lagging_queue_gives_no_job_twice() -> None:
    with _lagging() as (db, clock):
        ada, account = new_owner(db)
        job = queued_job(db, ada, account.account_id)
        assert queue.claim(db, new_worker()) is None, "the index does not show it yet"
        clock.advance(LAG)
        first = new_worker()
        claimed = queue.claim(db, first)
        assert claimed is not None
        assert claimed.job_id == job.job_id
        assert [waiting_job.job_id for waiting_job in db.iterate(queue.waiting_jobs(db, first))] == [
            job.job_id
        ], "the index still shows it"
        results = race(*(partial(queue.claim, db, new_worker()) for _ in range(4)))
        assert winners(results) == [None] * 4
        queue.complete(db, first, claimed)
        assert queue.claim(db, new_worker()) is None


def test_a_lagging_schedule_starts_no_sync_twice() -> None:
    with _lagging() as (db, clock):
        ada, account = new_owner(db)
        api_key_source(db, ada, account.account_id)
        clock.advance(LAG)
        assert len(syncs.start_due_syncs(db, new_worker())) == 1
        assert syncs.start_due_syncs(db, new_worker()) == []
        (source,) = db.all(SourcesOfAccount(account_id=account.account_id))
        with pytest.raises(Conflict):
            queued_job(db, ada, account.account_id, JobType.SYNC, source_id=source.source_id)


def test_a_lagging_outbox_sends_nothing_twice() -> None:
    with _lagging() as (db, clock):
        ada, account = new_owner(db)
        send_notification(db, ada.user_id, account.account_id, channels=MAIL)
        (read,) = send_notification(db, ada.user_id, account.account_id, channels=MAIL)
        clock.advance(LAG)
        notifications.mark_read(db, ada, read.created_at, read.notification_id)
        sent: list[str] = []
        for _ in range(2):
            delivery.send_all(db, new_worker(), lambda item: sent.append(item.notification_id))
        assert len(sent) == 1, "a read notification is not sent"
        assert notifications.mark_all_read(db, ada) == 1
        assert notifications.mark_all_read(db, ada) == 0, "the index still shows both"


def test_items_missing_in_a_lagging_index_are_found_by_key() -> None:
    with _lagging() as (db, clock):
        ada, account = new_owner(db)
        source = api_key_source(db, ada, account.account_id)
        tag = _tag(db, ada, account.account_id)
        with pytest.raises(NotFound):
            sources.source_by_id(db, ada, source.source_id)
        assert sources.read_source(db, ada, account.account_id, source.source_id) == source
        assert tags.attach(db, ada, name_of(tag), source.source_id).resource_count == 1
        attached = tags.tags_of_resource(db, ada, account.account_id, ResourceType.SOURCE, source.source_id)
        assert [item.tag_id for item in attached] == [tag.tag_id]
        sources.delete_source(db, ada, account.account_id, source.source_id)
        assert _tagged_resources(db, tag) == []
        clock.advance(LAG)
        with pytest.raises(NotFound):
            sources.source_by_id(db, ada, source.source_id)


def test_stale_index_entries_do_not_decide() -> None:
    with _lagging() as (db, clock):
        ada, account = new_owner(db)
        job = queued_job(db, ada, account.account_id)
        tag = _tag(db, ada, account.account_id)
        clock.advance(LAG)
        jobs.cancel_job(db, ada, account.account_id, job.job_id)
        tags.rename_tag(db, ada, name_of(tag), tag_key="env", tag_value="live")
        assert queue.claim(db, new_worker()) is None
        assert jobs.job_by_id(db, ada, job.job_id).status is JobStatus.CANCELLED
        with pytest.raises(NotFound):
            tags.tag_by_id(db, ada, tag.tag_id)


@contextmanager
def _lagging() -> Iterator[tuple[Repository, Clock]]:
    """A store whose indexes lag, and its clock."""
    clock = Clock(START)
    with faulty_store(clock, index_lag=LAG.total_seconds()) as db:
        yield db, clock


def _tag(db: Repository, caller: Caller, account_id: str) -> Tag:
    return retry_until_known(
        tags.create_tag, db, caller, account_id, ResourceType.SOURCE, tag_key="env", tag_value="production"
    )


def _tagged_resources(db: Repository, tag: Tag) -> list[str]:
    pattern = ResourcesWithTag(account_id=tag.account_id, resource_type=tag.resource_type, tag_id=tag.tag_id)
    return [item.resource_id for item in retry_until_known(db.all, pattern)]
