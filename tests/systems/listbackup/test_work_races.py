"""Many at once in the queue, the outbox, on sources and tags: one winner, exact counts, nothing lost."""

from collections import Counter
from datetime import timedelta
from functools import partial

from tablewright import Clock, Repository
from tablewright_systems.api_errors import Conflict, Gone, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.accounts import Account, AccountById, Plan
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
    send_notification,
)
from tablewright_systems.listbackup.proofs.tags import name_of
from tablewright_systems.listbackup.service.jobs import jobs, queue
from tablewright_systems.listbackup.service.notifications import delivery, inbox
from tablewright_systems.listbackup.service.sources import sources, syncs
from tablewright_systems.listbackup.service.tags import attachments, tags
from tests.systems.listbackup.faulty_store import count_errors, items_of, race_all
from tests.systems.races import winners

MANY = 8


def events(db: Repository, job: Job) -> Counter[str]:
    """How often each thing was told of a job."""
    asked = ActivitiesOfResource(
        account_id=job.account_id, resource_type=ResourceType.JOB, resource_id=job.job_id
    )
    return Counter(each.event_type for each in db.all(asked))


def test_of_many_workers_one_takes_a_job(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    job = queued_job(db, caller, account.account_id)
    outcomes = race_all(*(partial(queue.claim, db, new_worker()) for _ in range(MANY)))
    taken = [each for each in winners(outcomes) if each is not None]
    assert [each.job_id for each in taken] == [job.job_id]
    assert events(db, job)["backup.started"] == 1


def test_every_job_is_taken_once(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    made = {queued_job(db, caller, account.account_id).job_id for _ in range(20)}

    def drain(who: Caller) -> list[str]:
        taken = []
        while (job := queue.claim(db, who)) is not None:
            taken.append(job.job_id)
        return taken

    taken = [
        job for share in winners(race_all(*(partial(drain, new_worker()) for _ in range(4)))) for job in share
    ]
    assert len(taken) == len(made)
    assert set(taken) == made


def test_a_job_whose_worker_died_is_taken_over_by_one(
    db: Repository, clock: Clock, ada: tuple[Caller, Account]
) -> None:
    caller, account = ada
    dead = new_worker()
    first = queue.lease_of(claimed_job(db, dead, queued_job(db, caller, account.account_id)))
    clock.advance(queue.LEASE + timedelta(seconds=1))
    outcomes = race_all(
        *(partial(queue.claim, db, new_worker()) for _ in range(MANY)),
        partial(queue.complete, db, dead, first),
    )
    job = jobs.get_job(db, account.account_id, first.job_id)
    taken = [each for each in winners(outcomes[:-1]) if each is not None]
    if isinstance(outcomes[-1], Gone):
        assert (len(taken), job.status, job.retry_count) == (1, JobStatus.RUNNING, 1)
    else:
        assert (taken, job.status) == ([], JobStatus.COMPLETED)


def test_what_is_said_many_times_is_done_once(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    who = new_worker()
    taken = claimed_job(db, who, queued_job(db, caller, account.account_id))
    lease = queue.lease_of(taken)
    outcomes = race_all(*(partial(queue.complete, db, who, lease, records_processed=3) for _ in range(MANY)))
    assert len({each.version for each in winners(outcomes)}) == 1
    assert len(winners(outcomes)) == MANY
    assert events(db, taken)["backup.completed"] == 1


def test_a_job_ends_in_one_way(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    who = new_worker()
    for _ in range(5):
        source = api_key_source(db, caller, account.account_id)
        job = queued_job(
            db, caller, account.account_id, JobType.SYNC, source_id=source.source_id, max_retries=0
        )
        lease = queue.lease_of(claimed_job(db, who, job))
        race_all(
            partial(queue.complete, db, who, lease),
            partial(queue.fail, db, who, lease, "down"),
            partial(jobs.cancel_job, db, caller, account.account_id, job.job_id),
            partial(queue.heartbeat, db, who, lease, total=10, processed=5),
        )
        ended = jobs.get_job(db, account.account_id, job.job_id)
        assert ended.status in (JobStatus.COMPLETED, JobStatus.FAILED, JobStatus.CANCELLED)
        assert ended.available_at is None
        told = events(db, job)
        assert told["sync.completed"] + told["sync.failed"] + told["sync.cancelled"] == 1
        assert sources.get_source(db, account.account_id, source.source_id).sync_job_id is None


def test_a_source_that_is_due_gets_one_job(db: Repository, clock: Clock, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    made = {api_key_source(db, caller, account.account_id).source_id for _ in range(5)}
    race_all(*(partial(syncs.start_due_syncs, db, new_worker()) for _ in range(MANY)))
    started = db.all(JobsOfAccount(account_id=account.account_id))
    assert Counter(job.source_id for job in started) == Counter(made)
    for source in db.all(SourcesOfAccount(account_id=account.account_id)):
        assert source.next_sync_at == db.now() + timedelta(days=1)


def test_of_many_who_want_a_source_synced_one_is_heard(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    source = api_key_source(db, caller, account.account_id)
    want = partial(queued_job, db, caller, account.account_id, JobType.SYNC, source_id=source.source_id)
    outcomes = race_all(*(want for _ in range(MANY)))
    assert len(winners(outcomes)) == 1
    assert count_errors(outcomes) == {Conflict: MANY - 1}
    assert len(db.all(JobsOfAccount(account_id=account.account_id))) == 1


def test_changes_of_a_source_do_not_overwrite_each_other(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    source = api_key_source(db, caller, account.account_id)
    change = partial(sources.change_source, db, caller, account.account_id, source.source_id)
    outcomes = race_all(
        partial(change, source_name="the shop"),
        partial(change, config=SourceConfig(data_types=["orders"])),
        partial(change, metadata=SourceMetadata(custom_fields={"a": 1})),
        partial(sources.pause_source, db, caller, account.account_id, source.source_id),
    )
    assert count_errors(outcomes) == {}
    found = sources.get_source(db, account.account_id, source.source_id)
    assert found.source_name == "the shop"
    assert found.config.data_types == ["orders"]
    assert found.metadata.custom_fields == {"a": 1}
    assert found.next_sync_at is None


def test_sources_are_counted_exactly(db: Repository) -> None:
    caller, account = new_owner(db, Plan.STARTER)
    made = [api_key_source(db, caller, account.account_id).source_id for _ in range(8)]
    delete = partial(sources.delete_source, db, caller, account.account_id)
    outcomes = race_all(
        *(partial(api_key_source, db, caller, account.account_id) for _ in range(6)),
        *(partial(delete, source_id) for source_id in (made[0], made[0], made[1])),
    )
    assert count_errors(outcomes)[NotFound] == 1
    stored = db.all(SourcesOfAccount(account_id=account.account_id))
    counted = db.run(AccountById(account_id=account.account_id))
    assert counted is not None
    assert counted.sources_used == len(stored) <= 10


def source_tag(db: Repository, caller: Caller, account_id: str, value: str = "production") -> Tag:
    return tags.create_tag(db, caller, account_id, ResourceType.SOURCE, tag_key="env", tag_value=value)


def carriers(db: Repository, tag: Tag) -> list[str]:
    asked = ResourcesWithTag(account_id=tag.account_id, resource_type=tag.resource_type, tag_id=tag.tag_id)
    return [each.resource_id for each in db.all(asked)]


def test_of_many_who_make_a_tag_one_does(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    outcomes = race_all(*(partial(source_tag, db, caller, account.account_id) for _ in range(MANY)))
    assert len(winners(outcomes)) == 1
    assert count_errors(outcomes) == {Conflict: MANY - 1}


def test_carriers_are_counted_exactly(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    tag = source_tag(db, caller, account.account_id)
    made = [api_key_source(db, caller, account.account_id).source_id for _ in range(4)]
    twice = [partial(attachments.attach, db, caller, name_of(tag), each) for each in made * 2]
    assert count_errors(race_all(*twice)) == {}
    assert tags.read_tag(db, caller, name_of(tag)).resource_count == len(carriers(db, tag)) == 4
    off = [
        partial(attachments.detach, db, caller, name_of(tag), each) for each in (made[0], made[0], made[1])
    ]
    assert count_errors(race_all(*off)) == {}
    assert tags.read_tag(db, caller, name_of(tag)).resource_count == len(carriers(db, tag)) == 2


def test_a_tag_is_renamed_while_it_is_attached(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    tag = source_tag(db, caller, account.account_id)
    made = [api_key_source(db, caller, account.account_id).source_id for _ in range(4)]
    race_all(
        *(partial(attachments.attach, db, caller, name_of(tag), each) for each in made),
        partial(tags.rename_tag, db, caller, name_of(tag), tag_key="env", tag_value="live"),
    )
    (found,) = db.all(tags.tags_of_account(db, caller, account.account_id, ResourceType.SOURCE))
    assert (found.tag_value, found.tag_id) == ("live", tag.tag_id)
    assert found.resource_count == len(carriers(db, tag))


def test_nothing_is_left_of_what_is_deleted_while_it_is_tagged(
    db: Repository, ada: tuple[Caller, Account]
) -> None:
    caller, account = ada
    for round_number in range(5):
        tag = source_tag(db, caller, account.account_id, f"round-{round_number}")
        one, other = (api_key_source(db, caller, account.account_id).source_id for _ in range(2))
        race_all(
            partial(attachments.attach, db, caller, name_of(tag), one),
            partial(attachments.attach, db, caller, name_of(tag), other),
            partial(sources.delete_source, db, caller, account.account_id, one),
        )
        assert carriers(db, tag) == [other]
        assert tags.read_tag(db, caller, name_of(tag)).resource_count == 1
        race_all(
            partial(tags.delete_tag, db, caller, name_of(tag)),
            partial(attachments.attach, db, caller, name_of(tag), other),
            partial(attachments.detach, db, caller, name_of(tag), other),
        )
        if db.run(name_of(tag)) is not None:  # attached at the very last moment
            tags.delete_tag(db, caller, name_of(tag))
    assert items_of(db, TaggedResource) == []


def test_of_many_senders_one_sends(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    for number in range(6):
        send_notification(
            db, caller.user_id, account.account_id, subject=f"News {number}", channels=(Channel.EMAIL,)
        )
    sent: list[str] = []
    tallies = winners(
        race_all(
            *(
                partial(delivery.send_all, db, new_worker(), lambda each: sent.append(each.subject))
                for _ in range(MANY)
            )
        )
    )
    assert sorted(sent) == [f"News {number}" for number in range(6)]
    assert sum(tally.sent for tally in tallies) == 6


def test_what_is_read_stays_read(db: Repository, ada: tuple[Caller, Account]) -> None:
    caller, account = ada
    provider = Caller("mail", {"roles": ["webhook"]})
    for _ in range(5):
        (made,) = send_notification(
            db, caller.user_id, account.account_id, subject="News", channels=(Channel.EMAIL,)
        )
        who = new_worker()
        (taken,) = delivery.claim(db, who)
        key = (made.created_at, made.notification_id)
        race_all(
            partial(inbox.mark_read, db, caller, *key),
            partial(inbox.mark_read, db, caller, *key),
            partial(delivery.confirm_sent, db, who, delivery.attempt_of(taken)),
            partial(delivery.record_delivered, db, provider, caller.user_id, *key),
            partial(delivery.record_bounced, db, provider, caller.user_id, *key, "full"),
        )
        found = inbox.mark_read(db, caller, *key)
        assert (found.status, found.next_try_at) == (NotificationStatus.READ, None)
    assert inbox.count_unread(db, caller) == 0
