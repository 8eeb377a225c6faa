"""Races of jobs, sources, tags and notifications: one winner, exact counters, nothing lost."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial

import pytest
from tablewright_systems.listbackup.design.accounts import Account, Plan
from tablewright_systems.listbackup.design.activities import ActivitiesOfResource
from tablewright_systems.listbackup.design.jobs import Job, JobsOfAccount, JobStatus, JobType
from tablewright_systems.listbackup.design.notifications import Channel, NotificationStatus
from tablewright_systems.listbackup.design.sources import SourceConfig, SourceMetadata, SourcesOfAccount
from tablewright_systems.listbackup.design.tags import ResourcesWithTag, Tag, TaggedResource
from tablewright_systems.listbackup.design.vocabulary import ResourceType
from tablewright_systems.listbackup.proofs.fixtures import (
    api_key_source,
    claimed_job,
    new_owner,
    new_worker,
    queued_job,
    reload_account,
    send_notification,
)
from tablewright_systems.listbackup.proofs.tags import name_of
from tablewright_systems.listbackup.service import delivery, jobs, notifications, queue, sources, syncs, tags
from tablewright_systems.listbackup.service.notifications import target_of
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Gone, NotFound

from systems.tests.listbackup.faulty_store import items_of
from systems.tests.races import Action, error_counts, race, race_in_order, winners
from tablewright import Clock, Repository

MANY = 8


def events(db: Repository, job: Job) -> Counter[str]:
    """How often each event of a job was recorded."""
    pattern = ActivitiesOfResource(
        account_id=job.account_id, resource_type=ResourceType.JOB, resource_id=job.job_id
    )
    return Counter(activity.event_type for activity in db.all(pattern))


def rotated(actions: Sequence[Action], first: int) -> list[Action]:
    """The actions, beginning with another one."""
    return [*actions[first:], *actions[:first]]


def test_concurrent_claims_of_a_job_have_one_winner(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    job = queued_job(db, caller, account.account_id)
    results = race(*(partial(queue.claim, db, new_worker()) for _ in range(MANY)))
    assert error_counts(results) == {}
    assert [result.job_id for result in results if result is not None] == [job.job_id]
    assert events(db, job)["backup.started"] == 1


def test_every_job_is_claimed_once(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    queued = {queued_job(db, caller, account.account_id).job_id for _ in range(20)}

    def claim_all(worker: Caller) -> list[str]:
        claimed = []
        while (job := queue.claim(db, worker)) is not None:
            claimed.append(job.job_id)
        return claimed

    results = race(*(partial(claim_all, new_worker()) for _ in range(4)))
    assert error_counts(results) == {}
    claimed = [job_id for share in results for job_id in share]
    assert len(claimed) == len(queued)
    assert set(claimed) == queued


def test_a_late_worker_completes_its_job_before_others_claim_it(
    db: Repository, clock: Clock, ada: tuple[Caller, Account]
) -> None:
    caller, account = ada
    late = new_worker()
    lease = claimed_job(db, late, queued_job(db, caller, account.account_id))
    clock.advance(queue.LEASE.length + timedelta(seconds=1))
    completed, *claimed = race_in_order(
        partial(queue.complete, db, late, lease),
        *(partial(queue.claim, db, new_worker()) for _ in range(MANY)),
    )
    assert completed.status is JobStatus.COMPLETED
    assert claimed == [None] * MANY


def test_a_job_whose_lease_expired_is_claimed_by_one_other_worker(
    db: Repository, clock: Clock, ada: tuple[Caller, Account]
) -> None:
    caller, account = ada
    late = new_worker()
    lease = claimed_job(db, late, queued_job(db, caller, account.account_id))
    clock.advance(queue.LEASE.length + timedelta(seconds=1))
    *claimed, completed = race_in_order(
        *(partial(queue.claim, db, new_worker()) for _ in range(MANY)),
        partial(queue.complete, db, late, lease),
    )
    assert isinstance(completed, Gone)
    assert len([item for item in claimed if item is not None]) == 1
    job = jobs.get_job(db, account.account_id, lease.job_id)
    assert (job.status, job.retry_count) == (JobStatus.RUNNING, 1)


def test_concurrent_completions_of_one_lease_complete_the_job_once(
    db: Repository, ada: tuple[Caller, Account]
) -> None:
    caller, account = ada
    worker = new_worker()
    claimed = claimed_job(db, worker, queued_job(db, caller, account.account_id))
    lease = claimed
    results = race(*(partial(queue.complete, db, worker, lease, records_processed=3) for _ in range(MANY)))
    assert error_counts(results) == {}
    assert len({result.version for result in results}) == 1
    assert events(db, claimed)["backup.completed"] == 1


@pytest.mark.parametrize(
    ("first", "possible"),
    [
        (0, {JobStatus.COMPLETED}),
        (1, {JobStatus.FAILED}),
        (2, {JobStatus.COMPLETED, JobStatus.CANCELLED}),
        (3, {JobStatus.COMPLETED, JobStatus.CANCELLED, JobStatus.FAILED}),
    ],
    ids=["complete", "fail", "cancel", "heartbeat"],
)
def test_a_job_ends_in_one_status(
    db: Repository, ada: tuple[Caller, Account], first: int, possible: set[JobStatus]
) -> None:
    caller, account = ada
    worker = new_worker()
    source = api_key_source(db, caller, account.account_id)
    job = queued_job(db, caller, account.account_id, JobType.SYNC, source_id=source.source_id, max_retries=0)
    lease = claimed_job(db, worker, job)
    actions: list[Action] = [
        partial(queue.complete, db, worker, lease),
        partial(queue.fail, db, worker, lease, "down"),
        partial(jobs.cancel_job, db, caller, account.account_id, job.job_id),
        partial(queue.heartbeat, db, worker, lease, total=10, processed=5),
    ]
    results = race_in_order(*rotated(actions, first))
    assert not isinstance(results[0], Exception)
    ended = jobs.get_job(db, account.account_id, job.job_id)
    assert ended.status in possible
    assert ended.available_at is None
    recorded = events(db, job)
    assert recorded["sync.completed"] + recorded["sync.failed"] + recorded["sync.cancelled"] == 1
    assert sources.get_source(db, account.account_id, source.source_id).sync_job_id is None


def test_a_due_source_gets_one_job(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    due = {api_key_source(db, caller, account.account_id).source_id for _ in range(5)}
    results = race(*(partial(syncs.start_due_syncs, db, new_worker()) for _ in range(MANY)))
    assert error_counts(results) == {}
    assert sum(len(started) for started in results) == len(due)
    queued = db.all(JobsOfAccount(account_id=account.account_id))
    assert Counter(job.source_id for job in queued) == Counter(due)
    for source in db.all(SourcesOfAccount(account_id=account.account_id)):
        assert source.next_sync_at == db.now() + timedelta(days=1)


def test_concurrent_syncs_of_one_source_have_one_winner(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    source = api_key_source(db, caller, account.account_id)
    request = partial(queued_job, db, caller, account.account_id, JobType.SYNC, source_id=source.source_id)
    results = race(*(request for _ in range(MANY)))
    assert len(winners(results)) == 1
    assert error_counts(results) == {Conflict: MANY - 1}
    assert len(db.all(JobsOfAccount(account_id=account.account_id))) == 1


def test_concurrent_changes_of_a_source_lose_nothing(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    source = api_key_source(db, caller, account.account_id)
    change = partial(sources.change_source, db, caller, account.account_id, source.source_id)
    results = race(
        partial(change, source_name="the shop"),
        partial(change, config=SourceConfig(data_types=["orders"])),
        partial(change, metadata=SourceMetadata(custom_fields={"a": 1})),
        partial(sources.pause_source, db, caller, account.account_id, source.source_id),
    )
    assert error_counts(results) == {}
    result = sources.get_source(db, account.account_id, source.source_id)
    assert result.source_name == "the shop"
    assert result.config.data_types == ["orders"]
    assert result.metadata.custom_fields == {"a": 1}
    assert result.next_sync_at is None


@pytest.mark.parametrize("first", ["create", "delete"])
def test_sources_are_counted_exactly(db: Repository, first: str) -> None:
    caller, account = new_owner(db, Plan.STARTER)
    existing = [api_key_source(db, caller, account.account_id).source_id for _ in range(8)]
    delete = partial(sources.delete_source, db, caller, account.account_id)
    creations: list[Action] = [partial(api_key_source, db, caller, account.account_id) for _ in range(6)]
    deletions: list[Action] = [partial(delete, item) for item in (existing[0], existing[0], existing[1])]
    if first == "create":
        results = race_in_order(*creations, *deletions)
    else:
        results = race_in_order(*deletions, *creations)
    # The plan allows 10 sources: deletions before the creations make room for 2 more.
    assert error_counts(results) == {NotFound: 1, Conflict: 4 if first == "create" else 2}
    stored = db.all(SourcesOfAccount(account_id=account.account_id))
    assert len(stored) == (8 if first == "create" else 10)
    assert reload_account(db, account).sources_used == len(stored)


def source_tag(db: Repository, caller: Caller, account_id: str) -> Tag:
    return tags.create_tag(db, caller, account_id, ResourceType.SOURCE, tag_key="env", tag_value="production")


def tagged_resources(db: Repository, tag: Tag) -> list[str]:
    pattern = ResourcesWithTag(account_id=tag.account_id, resource_type=tag.resource_type, tag_id=tag.tag_id)
    return [attachment.resource_id for attachment in db.all(pattern)]


def test_concurrent_creations_of_a_tag_have_one_winner(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    results = race(*(partial(source_tag, db, caller, account.account_id) for _ in range(MANY)))
    assert len(winners(results)) == 1
    assert error_counts(results) == {Conflict: MANY - 1}


def test_attachments_are_counted_exactly(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    tag = source_tag(db, caller, account.account_id)
    made = [api_key_source(db, caller, account.account_id).source_id for _ in range(4)]
    attached = race(*(partial(tags.attach, db, caller, name_of(tag), item) for item in made * 2))
    assert error_counts(attached) == {}
    assert tags.read_tag(db, caller, name_of(tag)).resource_count == len(tagged_resources(db, tag)) == 4
    detach = partial(tags.detach, db, caller, name_of(tag))
    detached = race(*(partial(detach, item) for item in (made[0], made[0], made[1])))
    assert error_counts(detached) == {}
    assert tags.read_tag(db, caller, name_of(tag)).resource_count == len(tagged_resources(db, tag)) == 2


@pytest.mark.parametrize("first", ["rename", "attach"])
def test_a_tag_is_renamed_while_it_is_attached(
    db: Repository, ada: tuple[Caller, Account], first: str
) -> None:
    caller, account = ada
    tag = source_tag(db, caller, account.account_id)
    made = [api_key_source(db, caller, account.account_id).source_id for _ in range(4)]
    rename = partial(tags.rename_tag, db, caller, name_of(tag), tag_key="env", tag_value="live")
    attach = [partial(tags.attach, db, caller, name_of(tag), item) for item in made]
    results = race_in_order(rename, *attach) if first == "rename" else race_in_order(*attach, rename)
    (item,) = list(tags.tags_of_account(db, caller, account.account_id, ResourceType.SOURCE))
    assert (item.tag_value, item.tag_id) == ("live", tag.tag_id)
    attached = tagged_resources(db, tag)
    assert item.resource_count == len(attached) == (0 if first == "rename" else 4)
    assert len(winners(results)) == 1 + len(attached)


@pytest.mark.parametrize("first", range(3))
def test_a_deleted_source_carries_no_tag(db: Repository, ada: tuple[Caller, Account], first: int) -> None:
    caller, account = ada
    tag = source_tag(db, caller, account.account_id)
    deleted, kept = (api_key_source(db, caller, account.account_id).source_id for _ in range(2))
    actions: list[Action] = [
        partial(tags.attach, db, caller, name_of(tag), deleted),
        partial(tags.attach, db, caller, name_of(tag), kept),
        partial(sources.delete_source, db, caller, account.account_id, deleted),
    ]
    results = race_in_order(*rotated(actions, first))
    assert error_counts(results) == ({} if first == 0 else {NotFound: 1})
    assert tagged_resources(db, tag) == [kept]
    assert tags.read_tag(db, caller, name_of(tag)).resource_count == 1


@pytest.mark.parametrize("first", range(3))
def test_a_deleted_tag_leaves_no_attachments(db: Repository, ada: tuple[Caller, Account], first: int) -> None:
    caller, account = ada
    tag = source_tag(db, caller, account.account_id)
    source_id = api_key_source(db, caller, account.account_id).source_id
    tags.attach(db, caller, name_of(tag), source_id)
    actions: list[Action] = [
        partial(tags.delete_tag, db, caller, name_of(tag)),
        partial(tags.detach, db, caller, name_of(tag), source_id),
        partial(tags.attach, db, caller, name_of(tag), source_id),
    ]
    race_in_order(*rotated(actions, first))
    with suppress(NotFound):  # unless it was attached again after it was deleted from all resources
        tags.delete_tag(db, caller, name_of(tag))
    assert db.run(name_of(tag)) is None
    assert items_of(db, TaggedResource) == []


def test_concurrent_senders_send_each_notification_once(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    subjects = [f"News {number}" for number in range(6)]
    for subject in subjects:
        send_notification(db, caller.user_id, account.account_id, subject=subject, channels=(Channel.EMAIL,))
    sent: list[str] = []
    send_all = partial(delivery.send_all, db, new_worker(), lambda item: sent.append(item.subject))
    reports = race(*(send_all for _ in range(MANY)))
    assert error_counts(reports) == {}
    assert sorted(sent) == subjects
    assert sum(report.sent for report in reports) == len(subjects)


@pytest.mark.parametrize("first", range(5))
def test_a_read_notification_stays_read(db: Repository, ada: tuple[Caller, Account], first: int) -> None:
    caller, account = ada
    provider = Caller("mail", {"roles": ["webhook"]})
    (made,) = send_notification(db, caller.user_id, account.account_id, channels=(Channel.EMAIL,))
    worker = new_worker()
    (claimed,) = delivery.claims(db, worker)
    key = (made.created_at, made.notification_id)
    actions: list[Action] = [
        partial(notifications.mark_read, db, caller, *key),
        partial(notifications.mark_read, db, caller, *key),
        partial(delivery.confirm_sent, db, worker, target_of(claimed), claimed.attempts),
        partial(delivery.record_delivered, db, provider, target_of(claimed)),
        partial(delivery.record_bounced, db, provider, target_of(claimed), "full"),
    ]
    results = race_in_order(*rotated(actions, first))
    assert error_counts(results) == {}
    result = notifications.mark_read(db, caller, *key)
    assert (result.status, result.next_try_at) == (NotificationStatus.READ, None)
    assert notifications.count_unread(db, caller) == 0
