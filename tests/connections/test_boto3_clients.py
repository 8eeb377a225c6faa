"""boto3 code as users write it, on the embedded engine."""

import os
import socket
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary
from botocore.config import Config
from botocore.exceptions import ClientError, ParamValidationError

from tablewright import Faults, embedded
from tablewright.connections import Embedded
from tablewright.errors import StoreError
from tests.connections.tables import MUSIC

NINA = {"Artist": {"S": "Nina"}, "Song": {"S": "Sinnerman"}}


@pytest.fixture
def client(music: Embedded) -> Any:
    return music.client()


@pytest.fixture
def table(music: Embedded) -> Any:
    return music.resource().Table("Music")


def fill(table: Any, songs: int = 30) -> None:
    with table.batch_writer() as batch:
        for number in range(songs):
            batch.put_item({"Artist": "Nina", "Song": f"{number:03}", "Length": Decimal(number)})


def test_no_socket_is_opened(music: Embedded, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    music.client().put_item(TableName="Music", Item=NINA)
    assert music.resource().Table("Music").get_item(Key={"Artist": "Nina", "Song": "Sinnerman"})["Item"]
    assert music.streams_client().meta.service_model.service_name == "dynamodbstreams"


@pytest.mark.usefixtures("no_aws_settings")
def test_no_aws_settings_are_needed(db: Embedded) -> None:
    assert db.client().list_tables()["TableNames"] == []


def test_the_users_aws_settings_are_ignored(tmp_path: Path) -> None:
    """In a separate process, because boto3 reads its settings once per process."""
    (tmp_path / "config").write_text("not a configuration")
    script = "from tablewright import embedded; print(embedded().client().list_tables()['TableNames'])"
    settings = {"AWS_PROFILE": "absent", "AWS_CONFIG_FILE": str(tmp_path / "config")}
    result = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | settings, capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"


def test_values_round_trip(table: Any) -> None:
    item = {
        "Artist": "Nina",
        "Song": "Sinnerman",
        "Length": Decimal("10.22"),
        "Cover": Binary(b"\x00\xff"),
        "Live": True,
        "Label": None,
        "Genres": {"jazz", "soul"},
        "Charts": [Decimal(1), {"UK": Decimal(2)}],
    }
    table.put_item(Item=item)
    assert table.get_item(Key={"Artist": "Nina", "Song": "Sinnerman"})["Item"] == item


def test_exceptions_are_the_clients_own(client: Any) -> None:
    client.put_item(TableName="Music", Item=NINA)
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as error:
        client.put_item(
            TableName="Music",
            Item=NINA,
            ConditionExpression="attribute_not_exists(Song)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    response = error.value.response
    assert response["Error"] == {
        "Code": "ConditionalCheckFailedException",
        "Message": "The conditional request failed",
    }
    assert response["Item"] == NINA
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 400
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName="Absent")


def test_errors_without_a_class_are_client_errors(client: Any) -> None:
    with pytest.raises(ClientError) as error:
        client.get_item(TableName="Music", Key={"Artist": {"S": "Nina"}})
    assert error.value.response["Error"]["Code"] == "ValidationException"


def test_boto3_checks_parameters_first(client: Any) -> None:
    with pytest.raises(ParamValidationError):
        client.get_item(TableName="Music", Key={"Artist": "Nina"})


def test_every_reply_has_its_own_request_id(client: Any) -> None:
    metadata = [client.list_tables()["ResponseMetadata"] for _ in range(3)]
    assert len({reply["RequestId"] for reply in metadata}) == 3
    assert all(reply["HTTPStatusCode"] == 200 and reply["RetryAttempts"] == 0 for reply in metadata)


def test_waiters_wait(client: Any) -> None:
    client.get_waiter("table_exists").wait(TableName="Music", WaiterConfig={"MaxAttempts": 1})
    client.delete_table(TableName="Music")
    client.get_waiter("table_not_exists").wait(TableName="Music", WaiterConfig={"MaxAttempts": 1})


def test_resources_wait_too(table: Any) -> None:
    table.wait_until_exists()
    assert table.item_count == 0
    assert table.key_schema == MUSIC["KeySchema"]


def test_paginators_walk_the_pages(client: Any, table: Any) -> None:
    fill(table)
    pages = list(
        client.get_paginator("query").paginate(
            TableName="Music",
            KeyConditionExpression="Artist = :artist",
            ExpressionAttributeValues={":artist": {"S": "Nina"}},
            PaginationConfig={"PageSize": 7},
        )
    )
    assert [len(page["Items"]) for page in pages] == [7, 7, 7, 7, 2]
    scanned = client.get_paginator("scan").paginate(TableName="Music", PaginationConfig={"PageSize": 9})
    assert sum(page["Count"] for page in scanned) == 30


def test_conditions_are_built_by_boto3(table: Any) -> None:
    fill(table)
    found = table.query(
        KeyConditionExpression=Key("Artist").eq("Nina") & Key("Song").between("010", "019"),
        FilterExpression=Attr("Length").gte(15) & ~Attr("Length").is_in([17]),
        ProjectionExpression="Song",
        ScanIndexForward=False,
    )
    assert [item["Song"] for item in found["Items"]] == ["019", "018", "016", "015"]
    assert found["ScannedCount"] == 10


def test_updates_return_what_changed(table: Any) -> None:
    key = {"Artist": "Nina", "Song": "Sinnerman"}
    table.put_item(Item={**key, "Plays": 1})
    changed = table.update_item(
        Key=key,
        UpdateExpression="ADD Plays :one",
        ConditionExpression=Attr("Plays").exists(),
        ExpressionAttributeValues={":one": 1},
        ReturnValues="UPDATED_NEW",
    )
    assert changed["Attributes"] == {"Plays": 2}


def test_batches_read_what_was_written(music: Embedded, table: Any) -> None:
    fill(table)
    keys = [{"Artist": "Nina", "Song": f"{number:03}"} for number in range(30)]
    found = music.resource().batch_get_item(RequestItems={"Music": {"Keys": keys}})
    assert len(found["Responses"]["Music"]) == 30
    assert found["UnprocessedKeys"] == {}


def test_a_canceled_transaction_has_a_reason_for_each_action(client: Any) -> None:
    put = {"Put": {"TableName": "Music", "Item": NINA}}
    check = {
        "ConditionCheck": {
            "TableName": "Music",
            "Key": {**NINA, "Song": {"S": "Absent"}},
            "ConditionExpression": "attribute_exists(Song)",
        }
    }
    with pytest.raises(client.exceptions.TransactionCanceledException) as error:
        client.transact_write_items(TransactItems=[put, check])
    codes = [reason["Code"] for reason in error.value.response["CancellationReasons"]]
    assert codes == ["None", "ConditionalCheckFailed"]
    client.transact_write_items(TransactItems=[put])
    assert client.get_item(TableName="Music", Key=NINA)["Item"] == NINA


def test_retries_are_boto3s_own() -> None:
    with embedded(faults=Faults(throttling=1.0)) as db:
        db.call("CreateTable", MUSIC)
        client = db.client()
        client.meta.events.register_first(
            "needs-retry.dynamodb.GetItem", lambda attempts, **_: 0 if attempts < 3 else False
        )
        with pytest.raises(client.exceptions.ProvisionedThroughputExceededException) as error:
            client.get_item(TableName="Music", Key=NINA)
        assert error.value.response["ResponseMetadata"]["RetryAttempts"] == 2


def test_a_config_may_forbid_retries() -> None:
    with embedded(faults=Faults(throttling=1.0)) as db:
        db.call("CreateTable", MUSIC)
        client = db.client(Config(retries={"total_max_attempts": 1}))
        with pytest.raises(client.exceptions.ProvisionedThroughputExceededException) as error:
            client.get_item(TableName="Music", Key=NINA)
        assert error.value.response["ResponseMetadata"]["RetryAttempts"] == 0


def test_a_full_disk_is_not_retried(tmp_path: Path) -> None:
    """The error is not a 500, because boto3 would retry a 500 for half a minute."""
    with embedded(tmp_path / "app.db") as db:
        db.call("CreateTable", MUSIC)
        db._open().state.store.write(lambda tx: tx.execute("PRAGMA max_page_count = 20"))
        songs = [{**NINA, "Song": {"S": str(number)}, "Lyrics": {"S": "x" * 300_000}} for number in range(4)]
        with pytest.raises(StoreError, match="free some disk space"):
            db.client().batch_write_item(
                RequestItems={"Music": [{"PutRequest": {"Item": song}} for song in songs]}
            )


def test_threads_share_a_client(music: Embedded) -> None:
    client = music.client()

    def count() -> None:
        for _ in range(25):
            client.update_item(
                TableName="Music",
                Key=NINA,
                UpdateExpression="ADD Plays :one",
                ExpressionAttributeValues={":one": {"N": "1"}},
            )

    run_at_once(count)
    assert client.get_item(TableName="Music", Key=NINA)["Item"]["Plays"] == {"N": "200"}


def test_threads_make_clients_concurrently(music: Embedded) -> None:
    made: list[Any] = []
    run_at_once(lambda: made.extend([music.client(), music.resource().meta.client]))
    assert all(client.list_tables()["TableNames"] == ["Music"] for client in made)
    assert len(made) == 16


def run_at_once(work: Any) -> None:
    failures: list[BaseException] = []

    def attempt() -> None:
        try:
            work()
        except BaseException as failure:
            failures.append(failure)

    threads = [Thread(target=attempt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
