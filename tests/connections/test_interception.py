"""Interception: clients that other code makes are redirected to the embedded engine, during the block only."""

import asyncio
from collections.abc import Iterator
from typing import Any

import aiobotocore.session
import boto3
import botocore.session
import pytest
from botocore.awsrequest import AWSResponse
from botocore.client import BaseClient
from botocore.config import Config

from tablewright import embedded
from tablewright.connections import Embedded
from tablewright.errors import TablewrightError
from tests.connections.tables import MUSIC

pytestmark = pytest.mark.usefixtures("no_aws_settings")


@pytest.fixture
def intercepted(music: Embedded) -> Iterator[Embedded]:
    with music.intercept():
        yield music


class Elsewhere:
    """Replaces the network, and records that a request reached it."""

    def __init__(self, client: Any) -> None:
        self.requests = 0
        client.meta.events.register_last("before-send", self.receive)

    def receive(self, request: Any, **_: Any) -> AWSResponse:
        self.requests += 1
        return AWSResponse(request.url, 200, {}, self)

    def stream(self) -> list[bytes]:
        return [b'{"TableNames": ["Elsewhere"]}']


def client_of_aws() -> Any:
    return boto3.client(
        "dynamodb", region_name="eu-west-1", aws_access_key_id="key", aws_secret_access_key="secret"
    )


def tables(client: Any) -> Any:
    return client.list_tables()["TableNames"]


@pytest.mark.usefixtures("intercepted")
@pytest.mark.parametrize(
    "make",
    [
        lambda: boto3.client("dynamodb"),
        lambda: boto3.client("dynamodb", region_name="eu-west-1", endpoint_url="http://localhost:8000"),
        lambda: boto3.client("dynamodb", config=Config(region_name="eu-west-1", user_agent="mine")),
        lambda: boto3.resource("dynamodb").meta.client,
        lambda: boto3.Session(aws_access_key_id="key", aws_secret_access_key="secret").client("dynamodb"),
        lambda: botocore.session.get_session().create_client("dynamodb", "eu-west-1", None, False),
    ],
    ids=["plain", "endpoint", "config", "resource", "session", "botocore"],
)
def test_every_kind_of_client_is_redirected(make: Any) -> None:
    assert tables(make()) == ["Music"]


def test_a_client_keeps_its_region(intercepted: Embedded, monkeypatch: pytest.MonkeyPatch) -> None:
    assert boto3.client("dynamodb").meta.region_name == intercepted.region
    assert boto3.client("dynamodb", region_name="eu-west-1").meta.region_name == "eu-west-1"
    assert boto3.client("dynamodb", config=Config(region_name="eu-west-2")).meta.region_name == "eu-west-2"
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-3")
    assert boto3.client("dynamodb").meta.region_name == "eu-west-3"


def test_a_client_made_before_is_redirected_during_the_block(music: Embedded) -> None:
    client = client_of_aws()
    elsewhere = Elsewhere(client)
    assert tables(client) == ["Elsewhere"]
    with music.intercept():
        assert tables(client) == ["Music"]
    assert tables(client) == ["Elsewhere"]
    assert elsewhere.requests == 3, "earlier handlers still get every request"


def test_a_client_with_a_handler_of_its_own_is_redirected(music: Embedded) -> None:
    """botocore cannot unregister from `before-send` where only a part of the event has a handler."""
    client = client_of_aws()
    client.meta.events.register("before-send.dynamodb.ListTables", lambda **_: None)
    for _ in range(2):
        with music.intercept():
            assert tables(client) == ["Music"]


def test_a_client_without_credentials_works_inside(music: Embedded) -> None:
    client = boto3.client("dynamodb", region_name="eu-west-1")
    with music.intercept():
        assert tables(client) == ["Music"]


def test_a_client_made_inside_raises_afterwards(music: Embedded) -> None:
    with music.intercept():
        used, unused = boto3.client("dynamodb"), boto3.client("dynamodb")
        assert tables(used) == ["Music"]
    for client in (used, unused):
        with pytest.raises(TablewrightError, match=r"inside intercept\(\), which has ended"):
            tables(client)
    with embedded() as other, other.intercept():
        assert tables(used) == []


def test_botocore_is_restored(music: Embedded) -> None:
    before = (botocore.session.Session.create_client, BaseClient._make_api_call)
    with pytest.raises(KeyError), music.intercept():
        raise KeyError
    assert (botocore.session.Session.create_client, BaseClient._make_api_call) == before


def test_the_innermost_block_applies(music: Embedded) -> None:
    with music.intercept(), embedded() as other:
        client = boto3.client("dynamodb")
        with other.intercept():
            assert tables(client) == []
            client.create_table(**MUSIC | {"TableName": "Other"})
            assert tables(client) == ["Other"]
        assert tables(client) == ["Music"]


def test_the_clients_of_a_database_are_not_redirected(music: Embedded) -> None:
    with embedded() as other:
        own = other.client()
        with music.intercept():
            assert tables(own) == []
            assert tables(other.resource().meta.client) == []


def test_other_services_are_not_redirected(music: Embedded) -> None:
    with music.intercept():
        queues = boto3.client(
            "sqs", region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="b"
        )
        elsewhere = Elsewhere(queues)
        queues.list_queues()
    assert elsewhere.requests == 1


def test_streams_clients_are_redirected(music: Embedded) -> None:
    with music.intercept():
        assert boto3.client("dynamodbstreams").list_streams()["Streams"] == []


def test_aiobotocore_clients_are_redirected(music: Embedded) -> None:
    async def write_and_read() -> Any:
        async with aiobotocore.session.get_session().create_client("dynamodb") as client:
            await client.put_item(
                TableName="Music", Item={"Artist": {"S": "Nina"}, "Song": {"S": "Sinnerman"}}
            )
            with pytest.raises(client.exceptions.ResourceNotFoundException):
                await client.describe_table(TableName="Absent")
            return [page["Items"] async for page in client.get_paginator("scan").paginate(TableName="Music")]

    with music.intercept():
        assert asyncio.run(write_and_read()) == [[{"Artist": {"S": "Nina"}, "Song": {"S": "Sinnerman"}}]]
