"""Lambda batches: records are delivered to the same listeners; the reply names the first failed record."""

import asyncio
import json
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tablewright import Clock, Design, Entity, Keys, Table, connect, events
from tablewright.access.repository import Repository
from tablewright.errors import UsageError

START = 1_750_000_000.0

main = Table("lambda-{env}", key=("PK", "SK"), ttl="expiresAt", stream="NEW_AND_OLD_IMAGES")
other = Table("lambda-{env}-other", key="id", stream="NEW_IMAGE")


class Goal(Entity, table=main, type="GOAL"):
    goal_id: str
    title: str
    photo: bytes | None = None
    marks: set[bytes] | None = None
    expires_at: int | None = None
    keys = Keys(primary=("GOAL#{goal_id}", "GOAL"))


class Thing(Entity, table=other):
    id: str


design = Design("lambda", entities=[Goal, Thing])


@pytest.fixture
def db() -> Iterator[Repository]:
    with connect(design, environment="test", clock=Clock(START)) as opened:
        yield opened


def lambda_event(db: Repository, table: Table = main) -> dict[str, Any]:
    """The event that Lambda passes to a function: the records of a table's stream, in its JSON."""
    call = db.connection.call
    (stream,) = call("ListStreams", {"TableName": table.physical_name("test")})["Streams"]
    arn = stream["StreamArn"]
    (shard,) = call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    start = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    records = call("GetRecords", call("GetShardIterator", start))["Records"]
    return json.loads(  # type: ignore[no-any-return]
        json.dumps({"Records": [_as_lambda_writes(record, arn) for record in records]}, default=_json)
    )


def _as_lambda_writes(record: dict[str, Any], arn: str) -> dict[str, Any]:
    written = {**record, "eventSourceARN": arn}
    if identity := record.get("userIdentity"):
        written["userIdentity"] = {"type": identity["Type"], "principalId": identity["PrincipalId"]}
    return written


def _json(value: Any) -> Any:
    return value.timestamp() if isinstance(value, datetime) else b64encode(value).decode()


def number(event: dict[str, Any], place: int) -> str:
    return str(event["Records"][place]["dynamodb"]["SequenceNumber"])


def test_every_record_of_a_batch_is_delivered(db: Repository) -> None:
    seen: list[Any] = []
    listener = events.on(Goal)(seen.append)
    made = db.create(Goal(goal_id="1", title="run", photo=b"\x00\xff", marks={b"a", b"b"}))
    changed = db.update(made, set={"title": "walk"})
    db.delete(changed)
    brief = db.create(Goal(goal_id="2", title="swim", expires_at=int(START) + 60))
    db.connection.clock.advance(3600)  # type: ignore[attr-defined]
    db.connection.sweep()  # type: ignore[attr-defined]
    event = lambda_event(db)
    assert db.streams.handle_batch(event, listener) == {"batchItemFailures": []}
    ids = [record["eventID"] for record in event["Records"]]
    at = datetime.fromtimestamp(START, UTC)
    assert seen[:4] == [
        events.Inserted(ids[0], at, made),
        events.Modified(ids[1], at, made, changed),
        events.Removed(ids[2], at, changed),
        events.Inserted(ids[3], at, brief),
    ]
    assert isinstance(seen[4], events.Expired)
    assert seen[4].old == brief


def test_lambda_repeats_from_the_first_failed_record(db: Repository) -> None:
    seen: list[str] = []

    @events.on(Goal, "inserted")
    def listener(event: events.Inserted[Goal]) -> None:
        seen.append(event.new.goal_id)
        if event.new.goal_id == "2" and seen.count("2") == 1:
            raise ValueError("not yet")

    for name in "123":
        db.create(Goal(goal_id=name, title="x"))
    event = lambda_event(db)
    reply = db.streams.handle_batch(event, listener)
    assert reply == {"batchItemFailures": [{"itemIdentifier": number(event, 1)}]}
    assert seen == ["1", "2"], "later records are not delivered before it"
    again = {"Records": event["Records"][1:]}
    assert db.streams.handle_batch(again, listener) == {"batchItemFailures": []}
    assert seen == ["1", "2", "2", "3"]


def test_a_listener_can_be_retried_within_the_batch(db: Repository) -> None:
    tries: list[str] = []

    @events.on(Goal, "inserted")
    def listener(event: events.Inserted[Goal]) -> None:
        tries.append(event.id)
        if len(tries) < 2:
            raise ValueError("not yet")

    db.create(Goal(goal_id="1", title="x"))
    assert db.streams.handle_batch(lambda_event(db), listener, tries=2) == {"batchItemFailures": []}


def test_a_record_that_cannot_be_decoded_fails(db: Repository) -> None:
    seen: list[Any] = []
    item = {"PK": {"S": "GOAL#1"}, "SK": {"S": "GOAL"}, "type": {"S": "GOAL"}, "goalId": {"S": "1"}}
    db.connection.call("PutItem", {"TableName": "lambda-test", "Item": item})
    event = lambda_event(db)
    reply = db.streams.handle_batch(event, events.on(Goal)(seen.append))
    assert reply == {"batchItemFailures": [{"itemIdentifier": number(event, 0)}]}
    assert seen == []


def test_only_listeners_of_the_table_are_called(db: Repository) -> None:
    seen: list[Any] = []
    db.create(Thing(id="1"))
    db.create(Goal(goal_id="1", title="x"))
    assert db.streams.handle_batch(lambda_event(db, other), events.on(Goal)(seen.append)) == {
        "batchItemFailures": []
    }
    assert seen == []
    db.streams.handle_batch(lambda_event(db, other), events.on(Thing, "inserted")(seen.append))
    assert [event.new for event in seen] == [Thing(id="1")]


def test_listeners_may_be_async(db: Repository) -> None:
    seen: list[str] = []

    @events.on(Goal, "inserted")
    async def listener(event: events.Inserted[Goal]) -> None:
        await asyncio.sleep(0)
        seen.append(event.new.goal_id)

    db.create(Goal(goal_id="1", title="x"))
    event = lambda_event(db)
    assert asyncio.run(db.aio.streams.handle_batch(event, listener)) == {"batchItemFailures": []}
    assert seen == ["1"]
    with pytest.raises(UsageError, match="async"):
        db.streams.handle_batch(event, listener)


@pytest.mark.parametrize(
    "batch", [{}, {"Records": [{"eventSource": "aws:sqs"}]}, {"Records": None}, [], {"detail": {}}]
)
def test_an_event_of_another_service_is_an_error(db: Repository, batch: Any) -> None:
    with pytest.raises(UsageError, match="not an event of a DynamoDB stream"):
        db.streams.handle_batch(batch, events.on(Goal)(print))
