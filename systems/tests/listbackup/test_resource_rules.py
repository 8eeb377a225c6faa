"""Rules of activities, tags, notifications and connections. Each test is named after its rule in REQUIREMENTS.md."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError
from tablewright_systems.listbackup.design import design
from tablewright_systems.listbackup.design.activities import (
    ActivitiesByResourceType,
    ActivitiesOfAccount,
    ActivitiesOfResource,
    ActivitiesOfUser,
    Activity,
    ActivityAt,
    ActivityDetails,
)
from tablewright_systems.listbackup.design.connections import ConnectionMetadata, ConnectionsOfAccountTo
from tablewright_systems.listbackup.design.jobs import (
    JobsByStatus,
    JobStatus,
)
from tablewright_systems.listbackup.design.notifications import (
    Category,
    Channel,
    Notification,
    NotificationAt,
    NotificationsOfUser,
    NotificationStatus,
)
from tablewright_systems.listbackup.design.sources import (
    Credentials,
    SourceMetadata,
    SourcesByPlatform,
    SourcesByStatus,
    SourceStatus,
)
from tablewright_systems.listbackup.design.tags import Tag, TaggedResource, TagsByKey, TagsOfType
from tablewright_systems.listbackup.design.vocabulary import ConnectionType, ResourceType
from tablewright_systems.listbackup.proofs.fixtures import (
    SECRET,
    api_key_source,
    claimed_job,
    new_owner,
    new_worker,
    queued_job,
    send_notification,
)
from tablewright_systems.listbackup.proofs.tags import name_of
from tablewright_systems.listbackup.service import (
    activities,
    audit,
    connections,
    delivery,
    jobs,
    notifications,
    queue,
    sources,
    syncs,
    tags,
)
from tablewright_systems.listbackup.service.notifications import target_of
from tablewright_systems.service import Paging
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, NotFound

from systems.tests.listbackup.faulty_store import items_of, let_expire
from tablewright import Clock, Repository

DAY = timedelta(days=1)


def stored(db: Repository, entity: type[Any]) -> list[dict[str, Any]]:
    """The items of a table that are of this very type."""
    kind = entity.layout.type_name
    return [
        item for item in items_of(db, entity) if kind is None or item.get("entityType", {}).get("S") == kind
    ]


def test_r1_activities_expire_90_days_after_the_event(
    db: Repository, clock: Clock, caller: Caller, account_id: str
) -> None:
    count = len(items_of(db, Activity))
    assert count > 0
    (event, *_) = items_of(db, Activity)
    assert int(event["expiresAt"]["N"]) == int(event["timestamp"]["N"]) + 7_776_000
    let_expire(db, clock, 89 * DAY)
    assert len(items_of(db, Activity)) == count
    let_expire(db, clock, 2 * DAY)
    assert items_of(db, Activity) == []


def test_r5_notifications_expire_after_30_days(
    db: Repository, clock: Clock, caller: Caller, account_id: str
) -> None:
    send_notification(db, caller.user_id, account_id, category=Category.SECURITY)
    (first, *_) = items_of(db, Notification)
    assert int(first["expiresAt"]["N"]) == int(clock.now()) + 2_592_000
    let_expire(db, clock, 29 * DAY)
    assert len(items_of(db, Notification)) == 2
    let_expire(db, clock, 2 * DAY)
    assert items_of(db, Notification) == []


def test_r6_a_timestamp_is_in_seconds(caller: Caller, account_id: str) -> None:
    values: dict[str, Any] = {
        "account_id": account_id,
        "event_type": "job.created",
        "resource_type": ResourceType.JOB,
        "resource_id": "j1",
        "action": "create",
    }
    assert Activity(**values, timestamp=1_790_000_000).timestamp == 1_790_000_000
    with pytest.raises(ValidationError):
        Activity(**values, timestamp=1_790_000_000_000)


def test_r11_account_and_platform_are_two_keys(db: Repository) -> None:
    pattern = str(db.explain(SourcesByPlatform(account_id="a1", platform="keap")))
    assert '"#0 = :0 AND #1 = :1"' in pattern
    assert '"a1"' in pattern
    assert '"keap"' in pattern
    listed = str(db.explain(SourcesByStatus(account_id="a1", status=SourceStatus.ACTIVE)))
    assert "begins_with" in listed
    assert '"active#"' in listed


def test_r14_names_with_a_hash_are_aliased(db: Repository, caller: Caller, account_id: str) -> None:
    tags.create_tag(db, caller, account_id, ResourceType.SOURCE, tag_key="env", tag_value="a")
    tags.create_tag(db, caller, account_id, ResourceType.SOURCE, tag_key="env", tag_value="b")
    for _ in range(2):
        send_notification(db, caller.user_id, account_id)
    span = {"start": db.now() - DAY, "end": db.now()}
    for pattern in (
        ActivitiesOfAccount(account_id=account_id, **span),
        ActivitiesOfUser(user_id=caller.user_id, **span),
        TagsByKey(account_id=account_id, resource_type=ResourceType.SOURCE, tag_key="env"),
        NotificationsOfUser(user_id=caller.user_id),
    ):
        page: Any = db.run(pattern, limit=1)
        assert page.cursor is not None
        rest: Any = db.run(pattern, limit=50, cursor=page.cursor)
        assert [*page, *rest] == db.all(pattern)


def test_r15_events_of_one_millisecond_keep_their_order(
    db: Repository, caller: Caller, account_id: str
) -> None:
    now = db.now()
    made = [queued_job(db, caller, account_id).job_id for _ in range(5)]
    (key,) = {item["timestamp#eventId"]["S"][:25] for item in items_of(db, Activity)}
    assert key == f"{now:%Y-%m-%dT%H:%M:%S}.000Z#", "of fixed width, to the millisecond"
    pattern = ActivitiesByResourceType(
        account_id=account_id, resource_type=ResourceType.JOB, start=now, end=now
    )
    assert [activity.resource_id for activity in db.all(pattern)] == made[::-1], "and the end is included"


def test_r16_activities_are_listed_by_type_and_by_resource(db: Repository) -> None:
    (ada, one), (bob, other) = new_owner(db), new_owner(db)
    mine = api_key_source(db, ada, one.account_id)
    api_key_source(db, ada, one.account_id)
    api_key_source(db, bob, other.account_id)
    result = activities.activities_of_account(db, ada, one.account_id, resource_type=ResourceType.SOURCE)
    assert {item.account_id for item in result} == {one.account_id}
    with pytest.raises(Forbidden):
        activities.activities_of_account(db, ada, other.account_id, resource_type=ResourceType.SOURCE)
    result = activities.activities_of_resource(db, ada, one.account_id, ResourceType.SOURCE, mine.source_id)
    assert {item.resource_id for item in result} == {mine.source_id}
    partitions = {item["accountId#resourceType"]["S"] for item in items_of(db, Activity)}
    assert all("#" in partition for partition in partitions)


def test_r20_lists_by_status_are_ordered_by_time(
    db: Repository, clock: Clock, caller: Caller, account_id: str
) -> None:
    made = []
    for _ in range(6):
        made.append(queued_job(db, caller, account_id).job_id)
        clock.advance(1)
    pattern = JobsByStatus(account_id=account_id, status=JobStatus.PENDING)
    assert [job.job_id for job in db.all(pattern)] == made[::-1]
    sent = []
    for _ in range(6):
        sent += send_notification(db, caller.user_id, account_id, channels=(Channel.IN_APP,))
        clock.advance(1)
    delivered = notifications.inbox(db, caller, status=NotificationStatus.DELIVERED)
    assert db.all(delivered) == sent[::-1]


def test_r23_activities_of_the_system_have_no_user(db: Repository, caller: Caller, account_id: str) -> None:
    api_key_source(db, caller, account_id)
    (job,) = syncs.start_due_syncs(db, new_worker())
    pattern = ActivitiesOfResource(
        account_id=account_id, resource_type=ResourceType.JOB, resource_id=job.job_id
    )
    (recorded,) = db.all(pattern)
    assert recorded.user_id is None
    systems = [item for item in items_of(db, Activity) if item["eventId"]["S"] == recorded.event_id]
    assert "userId" not in systems[0]


def test_r24_tags_of_one_key_are_found_across_types(db: Repository, caller: Caller, account_id: str) -> None:
    for kind in (ResourceType.SOURCE, ResourceType.JOB):
        tags.create_tag(db, caller, account_id, kind, tag_key="env", tag_value="live")
    one = list(tags.tags_of_account(db, caller, account_id, ResourceType.JOB, "env"))
    assert [item.resource_type for item in one] == [ResourceType.JOB]
    result = tags.tags_of_all_types(db, caller, account_id, "env")
    assert {item.resource_type for item in result} == {ResourceType.SOURCE, ResourceType.JOB}


def test_r25_a_hash_in_a_tag_is_rejected(db: Repository, caller: Caller, account_id: str) -> None:
    for key, value in (("a#b", "c"), ("a", "b#c")):
        with pytest.raises(ValidationError):
            tags.create_tag(db, caller, account_id, ResourceType.SOURCE, tag_key=key, tag_value=value)
    for key in ("env", "environment"):
        tags.create_tag(db, caller, account_id, ResourceType.SOURCE, tag_key=key, tag_value="live")
    listed = list(tags.tags_of_account(db, caller, account_id, ResourceType.SOURCE, "env"))
    assert [item.tag_key for item in listed] == ["env"]


def test_r26_a_renamed_tag_keeps_its_id(db: Repository, caller: Caller, account_id: str) -> None:
    source = api_key_source(db, caller, account_id)
    tag = tags.create_tag(db, caller, account_id, ResourceType.SOURCE, tag_key="env", tag_value="a")
    other = tags.create_tag(db, caller, account_id, ResourceType.SOURCE, tag_key="env", tag_value="b")
    tags.attach(db, caller, name_of(tag), source.source_id)
    with pytest.raises(Conflict):
        tags.rename_tag(db, caller, name_of(tag), tag_key="env", tag_value="b")
    renamed = tags.rename_tag(db, caller, name_of(tag), tag_key="stage", tag_value="a")
    assert (renamed.tag_id, renamed.created_at) == (tag.tag_id, tag.created_at)
    listed = db.all(TagsOfType(account_id=account_id, resource_type=ResourceType.SOURCE))
    assert [item.tag_id for item in listed] == [other.tag_id, tag.tag_id]
    carried = tags.tags_of_resource(db, caller, account_id, ResourceType.SOURCE, source.source_id)
    assert [item.tag_key for item in carried] == ["stage"]


def test_r27_an_id_alone_gives_no_access_to_another_account(
    db: Repository, caller: Caller, account_id: str
) -> None:
    source = api_key_source(db, caller, account_id)
    job = queued_job(db, caller, account_id)
    tag = tags.create_tag(db, caller, account_id, ResourceType.SOURCE, tag_key="env", tag_value="a")
    eve, other = new_owner(db)
    for look in (
        lambda: sources.source_by_id(db, eve, source.source_id),
        lambda: jobs.job_by_id(db, eve, job.job_id),
        lambda: tags.tag_by_id(db, eve, tag.tag_id),
        lambda: connections.read_connection(db, eve, str(source.connection_id)),
        lambda: jobs.read_job(db, eve, other.account_id, job.job_id),
        lambda: jobs.jobs_of_source(db, eve, other.account_id, source.source_id),
    ):
        with pytest.raises(NotFound):
            look()
    mine = tags.create_tag(db, eve, other.account_id, ResourceType.SOURCE, tag_key="env", tag_value="a")
    with pytest.raises(NotFound):
        tags.attach(db, eve, name_of(mine), source.source_id)


def test_r30_a_tag_does_not_grow_with_its_resources(db: Repository, caller: Caller, account_id: str) -> None:
    tag = tags.create_tag(db, caller, account_id, ResourceType.JOB, tag_key="env", tag_value="a")
    for _ in range(90):
        tags.attach(db, caller, name_of(tag), queued_job(db, caller, account_id).job_id)
    (item,) = stored(db, Tag)
    assert "resources" not in item
    assert item["resourceCount"] == {"N": "90"}
    page = tags.resources_with_tag(db, caller, name_of(tag), Paging(50))
    assert (len(page), page.cursor is None) == (50, False)
    tags.delete_tag(db, caller, name_of(tag))
    assert items_of(db, TaggedResource) == []


def test_r31_large_values_are_truncated_or_rejected(db: Repository, caller: Caller, account_id: str) -> None:
    who = new_worker()
    taken = claimed_job(db, who, queued_job(db, caller, account_id))
    done = queue.complete(
        db,
        who,
        taken,
        records_processed=5_000,
        failures=["x" * 5_000] * 5_000,
        output_location="s3://backups/errors.json",
    )
    assert done.result is not None
    assert (len(done.result.errors), len(done.result.errors[0])) == (100, 500)
    assert done.result.summary == {"errorsOmitted": 4_900}
    with pytest.raises(ValidationError, match="16000"):
        SourceMetadata(custom_fields={"x": "y" * 20_000})
    with pytest.raises(ValidationError, match="16000"):
        ActivityDetails(metadata={"x": "y" * 20_000})
    source = api_key_source(db, caller, account_id)
    filled = SourceMetadata(
        account_info={"x": "y" * 9_000}, limits={"x": "y" * 9_000}, custom_fields={"api_key": "k-123"}
    )
    sources.change_source(db, caller, account_id, source.source_id, metadata=filled)
    recorded = activities.activities_of_resource(
        db, caller, account_id, ResourceType.SOURCE, source.source_id
    )[0]
    assert recorded.details.after == {"truncated": True, "fields": ["metadata"]}
    small = audit.record(caller, source, audit.Action.UPDATE, metadata={"a": [{"apiKey": "k"}]})
    assert small.entity.details.metadata == {"a": [{"apiKey": "***"}]}


def test_r41_the_account_of_a_platform_is_no_tenant(db: Repository, caller: Caller, account_id: str) -> None:
    eve, other = new_owner(db)
    source = sources.create_source(
        db,
        caller,
        account_id,
        source_name="shop",
        platform="stripe",
        connection_type=ConnectionType.APIKEY,
        credentials=Credentials(type="apikey", encrypted_data=SECRET),
        platform_account=ConnectionMetadata(account_id=other.account_id, account_name="Eve's"),
    )
    with pytest.raises(NotFound):
        connections.read_connection(db, eve, str(source.connection_id))
    assert db.all(connections.connections_of_account(db, eve, other.account_id)) == []
    connection = connections.read_connection(db, caller, str(source.connection_id))
    assert (connection.account_id, connection.metadata.account_id) == (account_id, other.account_id)


def test_r53_reading_and_delivery_do_not_overwrite_each_other(
    db: Repository, caller: Caller, account_id: str
) -> None:
    provider = Caller("mail", {"roles": ["webhook"]})
    (made,) = send_notification(db, caller.user_id, account_id, channels=(Channel.EMAIL,))
    key = (made.created_at, made.notification_id)
    (taken,) = delivery.claims(db, new_worker())
    assert delivery.confirm_sent(db, new_worker(), target_of(taken), taken.attempts)
    bounced = delivery.record_bounced(db, provider, target_of(made), "mailbox full")
    assert (bounced.status, bounced.failure_reason) == (NotificationStatus.FAILED, "mailbox full")
    assert notifications.count_unread(db, caller) == 1, "unread, though it failed"
    read = notifications.mark_read(db, caller, *key)
    assert (read.status, read.failure_reason) == (NotificationStatus.READ, "mailbox full")
    assert notifications.count_unread(db, caller) == 0
    assert notifications.mark_read(db, caller, *key) == read
    assert not any("unreadSince" in item for item in items_of(db, Notification))


def test_r58_notifications_and_activities_are_identified_by_time_and_id(
    db: Repository, caller: Caller, account_id: str
) -> None:
    (made, _) = send_notification(db, caller.user_id, account_id)
    notification = db.run(
        NotificationAt(
            user_id=caller.user_id, created_at=made.created_at, notification_id=made.notification_id
        )
    )
    assert notification == made
    with pytest.raises(NotFound):
        notifications.mark_read(db, caller, made.created_at - DAY, made.notification_id)
    eve, _ = new_owner(db)
    with pytest.raises(NotFound):
        notifications.mark_read(db, eve, made.created_at, made.notification_id)
    recorded = db.all(ActivitiesOfAccount(account_id=account_id, start=db.now() - DAY, end=db.now()))[0]
    read = activities.read_activity(db, caller, account_id, recorded.created_at, recorded.event_id)
    assert (read.event_id, read.details) == (recorded.event_id, recorded.details)
    pattern = ActivityAt(
        account_id=account_id, created_at=recorded.created_at - DAY, event_id=recorded.event_id
    )
    assert db.run(pattern) is None


def test_r62_there_may_be_several_connections_to_one_platform(
    db: Repository, caller: Caller, account_id: str
) -> None:
    made = {api_key_source(db, caller, account_id, "stripe").connection_id for _ in range(2)}
    listed = db.all(ConnectionsOfAccountTo(account_id=account_id, platform="stripe"))
    assert {connection.connection_id for connection in listed} == made


def test_r19_ttl_attributes_are_used_for_expiry_only() -> None:
    ttls = {table.name.rpartition("}-")[2]: table.ttl for table in design.tables if table.ttl}
    assert ttls == {
        "activities": "expiresAt",
        "oauth-states": "expiresAt",
        "refresh-tokens": "expiresAtEpoch",
        "notifications": "expiresAt",
    }
