"""Real clients against a real server: boto3, aiobotocore, PynamoDB and the AWS CLI."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from aiobotocore.session import get_session
from botocore.config import Config
from botocore.exceptions import ClientError
from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model

from tests.server.conftest import boto_client
from tests.server.processes import ServerProcess

SETTINGS = {"region_name": "us-east-1", "aws_access_key_id": "any", "aws_secret_access_key": "any"}
ORDERS: dict[str, Any] = {
    "KeySchema": [
        {"AttributeName": "Customer", "KeyType": "HASH"},
        {"AttributeName": "Placed", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "Customer", "AttributeType": "S"},
        {"AttributeName": "Placed", "AttributeType": "N"},
        {"AttributeName": "Status", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "ByStatus",
            "KeySchema": [
                {"AttributeName": "Status", "KeyType": "HASH"},
                {"AttributeName": "Placed", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
}


def order(customer: str, placed: int, status: str = "open") -> dict[str, Any]:
    return {"Customer": {"S": customer}, "Placed": {"N": str(placed)}, "Status": {"S": status}}


def test_regions_are_namespaces(server: ServerProcess, client: Any) -> None:
    name = "clients-regions"
    ireland = boto_client(server, region_name="eu-west-1")
    streams = boto_client(server, "dynamodbstreams", region_name="eu-west-1")
    arn = ireland.create_table(TableName=name, **ORDERS)["TableDescription"]["TableArn"]
    ireland.put_item(TableName=name, Item=order("ada", 1))
    assert arn.split(":")[3] == "eu-west-1"
    assert ireland.scan(TableName=name)["Count"] == 1
    assert [stream["TableName"] for stream in streams.list_streams()["Streams"]] == [name]
    assert name not in client.list_tables()["TableNames"]
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        client.get_item(TableName=name, Key={"Customer": {"S": "ada"}, "Placed": {"N": "1"}})
    local = boto_client(server, region_name="local")
    assert local.list_tables()["TableNames"] == client.list_tables()["TableNames"]


def test_boto3_client(client: Any) -> None:
    name = "clients-boto3"
    client.create_table(TableName=name, **ORDERS)
    client.get_waiter("table_exists").wait(TableName=name)
    writes = [{"PutRequest": {"Item": order("ada", placed)}} for placed in range(25)]
    assert client.batch_write_item(RequestItems={name: writes})["UnprocessedItems"] == {}
    client.transact_write_items(TransactItems=[{"Put": {"TableName": name, "Item": order("bob", 1, "paid")}}])
    client.update_item(
        TableName=name,
        Key={"Customer": {"S": "ada"}, "Placed": {"N": "3"}},
        UpdateExpression="SET #s = :s",
        ExpressionAttributeNames={"#s": "Status"},
        ExpressionAttributeValues={":s": {"S": "paid"}},
    )
    pages = client.get_paginator("query").paginate(
        TableName=name,
        IndexName="ByStatus",
        KeyConditionExpression="#s = :s",
        ExpressionAttributeNames={"#s": "Status"},
        ExpressionAttributeValues={":s": {"S": "open"}},
        PaginationConfig={"PageSize": 10},
    )
    assert [int(item["Placed"]["N"]) for page in pages for item in page["Items"]] == [
        *range(3),
        *range(4, 25),
    ]
    with pytest.raises(client.exceptions.ConditionalCheckFailedException):
        client.put_item(
            TableName=name, Item=order("ada", 3), ConditionExpression="attribute_not_exists(Customer)"
        )
    client.delete_table(TableName=name)
    client.get_waiter("table_not_exists").wait(TableName=name)


def test_boto3_resource_and_streams(server: ServerProcess) -> None:
    resource = boto3.resource("dynamodb", endpoint_url=server.url, **SETTINGS)
    table = resource.create_table(TableName="clients-resource", **ORDERS)
    with table.batch_writer() as batch:
        for placed in range(30):
            batch.put_item({"Customer": "ada", "Placed": placed, "Raw": b"\x00\xff", "Tags": {"a", "b"}})
    assert table.scan(Select="COUNT")["Count"] == 30
    assert table.get_item(Key={"Customer": "ada", "Placed": 7})["Item"]["Tags"] == {"a", "b"}
    streams = boto_client(server, "dynamodbstreams")
    arn = streams.list_streams(TableName="clients-resource")["Streams"][0]["StreamArn"]
    shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    records = streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
    assert [record["eventName"] for record in records] == ["INSERT"] * 30


def test_boto3_compresses_its_requests(server: ServerProcess) -> None:
    client = boto_client(server, config=Config(request_min_compression_size_bytes=1))
    model = client.meta.service_model._service_description["operations"]["PutItem"]
    model["requestcompression"] = {"encodings": ["gzip"]}
    try:
        client.create_table(TableName="clients-gzip", **ORDERS)
        client.put_item(TableName="clients-gzip", Item=order("ada", 1) | {"Text": {"S": "x" * 20_000}})
        item = client.get_item(TableName="clients-gzip", Key={"Customer": {"S": "ada"}, "Placed": {"N": "1"}})
        assert len(item["Item"]["Text"]["S"]) == 20_000
    finally:
        del model["requestcompression"]


def test_only_those_with_a_key_when_signatures_are_required(tmp_path: Path) -> None:
    keys = tmp_path / "keys.ini"
    keys.touch(0o600)
    keys.write_text("[team]\naws_access_key_id = known\naws_secret_access_key = secret\n")
    with ServerProcess("--memory", "--require-signatures", "--credentials", str(keys)) as server:

        def ask(**settings: str) -> str:
            try:
                boto_client(server, **settings).list_tables()
            except ClientError as refused:
                return str(refused.response["Error"]["Code"])
            return "welcome"

        assert ask(aws_access_key_id="known", aws_secret_access_key="secret") == "welcome"
        assert ask(aws_access_key_id="known", aws_secret_access_key="guess") == "InvalidSignatureException"
        assert (
            ask(aws_access_key_id="unknown", aws_secret_access_key="secret") == "UnrecognizedClientException"
        )
        assert (
            ask(aws_access_key_id="known", aws_secret_access_key="secret", region_name="eu-west-1")
            == "InvalidSignatureException"
        )


def test_aiobotocore(server: ServerProcess) -> None:
    async def put_all() -> int:
        async with get_session().create_client("dynamodb", endpoint_url=server.url, **SETTINGS) as client:
            await client.create_table(TableName="clients-aio", **ORDERS)
            puts = (
                client.put_item(TableName="clients-aio", Item=order("ada", placed)) for placed in range(50)
            )
            await asyncio.gather(*puts)
            scan = await client.scan(TableName="clients-aio", Select="COUNT")
            return int(scan["Count"])

    assert asyncio.run(put_all()) == 50


class ByStatus(GlobalSecondaryIndex["Order"]):  # type: ignore[no-untyped-call]
    class Meta:
        index_name = "ByStatus"
        projection = AllProjection()

    status = UnicodeAttribute(hash_key=True, attr_name="Status")
    placed = NumberAttribute(range_key=True, attr_name="Placed")


class Order(Model):
    class Meta:
        table_name = "clients-pynamodb"
        region = "us-east-1"
        host = ""
        aws_access_key_id = "any"
        aws_secret_access_key = "any"
        billing_mode = "PAY_PER_REQUEST"

    customer = UnicodeAttribute(hash_key=True, attr_name="Customer")
    placed = NumberAttribute(range_key=True, attr_name="Placed")
    status = UnicodeAttribute(attr_name="Status")
    by_status = ByStatus()


def test_pynamodb(server: ServerProcess) -> None:
    Order.Meta.host = server.url
    Order.create_table(wait=True)
    with Order.batch_write() as batch:
        for placed in range(30):
            batch.save(Order("ada", placed, status="open"))
    first = Order.get("ada", 0)
    first.update(actions=[Order.status.set("paid")], condition=Order.status == "open")
    assert Order.by_status.count("open") == 29
    assert [each.placed for each in Order.query("ada", Order.placed > 26)] == [27, 28, 29]
    Order.delete_table()


@pytest.fixture
def orders(client: Any) -> Iterator[str]:
    client.create_table(TableName="clients-cli", **ORDERS)
    for placed in range(3):
        client.put_item(TableName="clients-cli", Item=order("ada", placed))
    yield "clients-cli"
    client.delete_table(TableName="clients-cli")


def aws(server: ServerProcess, *arguments: str) -> Any:
    """The AWS CLI, as a user types it."""
    program = Path(sys.executable).with_name("aws")
    environment = {
        "PATH": os.environ["PATH"],
        "AWS_ACCESS_KEY_ID": "any",
        "AWS_SECRET_ACCESS_KEY": "any",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_DYNAMODB": server.url,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    reply = subprocess.run(
        [program, "dynamodb", *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(reply.stdout) if reply.stdout else None


def test_aws_cli(server: ServerProcess, orders: str) -> None:
    key = json.dumps({"Customer": {"S": "ada"}, "Placed": {"N": "1"}})
    assert orders in aws(server, "list-tables")["TableNames"]
    assert aws(server, "describe-table", "--table-name", orders)["Table"]["TableStatus"] == "ACTIVE"
    assert aws(server, "get-item", "--table-name", orders, "--key", key)["Item"] == order("ada", 1)
    assert len(aws(server, "scan", "--table-name", orders)["Items"]) == 3
    assert aws(server, "scan", "--table-name", orders, "--select", "COUNT")["Count"] == 3
