"""SearchVectors over HTTP: a real boto3 client, and other clients that are served while a search runs."""

import json
import threading
import time
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tablewright.connections import embedded
from tests.engine.features.vectors.vector_table import (
    BY_TENANT,
    create_request,
    search_request,
    vector,
    vector_index,
)
from tests.server.conftest import boto_client
from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection, post

DIMENSIONS = 512
ROWS = 1500


@pytest.mark.parametrize("target", ["memory", "file", "embedded", "intercepted"])
def test_boto3_creates_fills_and_searches_a_vector_index(target: str, tmp_path: Any) -> None:
    if target in ("memory", "file"):
        arguments = ("--memory",) if target == "memory" else ("--on", str(tmp_path / "data.db"))
        with ServerProcess(*arguments) as server:
            search_with(boto_client(server))
    elif target == "embedded":
        with embedded() as db:
            search_with(db.client())
    else:
        import boto3

        # Without endpoint_url, boto3 sends SearchVectors to another host: search-dynamodb.REGION.amazonaws.com.
        with embedded() as db, db.intercept():
            search_with(boto3.client("dynamodb", region_name="eu-west-1"))


def search_with(client: Any) -> None:
    client.create_table(**create_request(vector_index()))
    client.get_waiter("table_exists").wait(TableName="documents")
    for name, numbers in {"a": (1, 0, 0), "b": (0, 1, 0)}.items():
        item = {"id": {"S": name}, "tenant": {"S": "red"}, "v": vector(*numbers)}
        client.put_item(TableName="documents", Item=item)
    reply = client.search_vectors(**search_request(1, 0.1, 0, ReturnConsumedCapacity="TOTAL"))
    assert [result["Item"]["id"]["S"] for result in reply["SearchResults"]] == ["a", "b"]
    assert reply["SearchResults"][0]["Score"] == pytest.approx(1 - 1 / 1.01**0.5, abs=1e-6)
    assert reply["ConsumedCapacity"] == {"VectorSearchRequestBytes": 1024.0}
    definitions = [{"AttributeName": name, "AttributeType": "S"} for name in ("tenant", "kind")]
    client.update_table(
        TableName="documents",
        AttributeDefinitions=definitions,
        VectorIndexUpdates=[{"Create": BY_TENANT}],
    )
    while any(
        index["IndexStatus"] != "ACTIVE"
        for index in client.describe_table(TableName="documents")["Table"]["VectorIndexes"]
    ):
        pass
    reply = client.search_vectors(
        **search_request(
            1,
            0,
            0,
            IndexName="by-tenant",
            SearchConditionExpression="tenant = :t",
            ExpressionAttributeValues={":t": {"S": "red"}},
            ProjectionExpression="v",
        )
    )
    assert reply["SearchResults"][0]["Item"] == {"v": vector("1.0", "0.0", "0.0")}
    with pytest.raises(ClientError, match="Provided TopK value '101' is out of valid range"):
        client.search_vectors(**search_request(1, 0, 0, TopK=101))


def fill(server: ServerProcess, numbers: list[str]) -> None:
    """Put vectors that differ in their first number. boto3 would need longer to write the requests than the server to
    execute them."""
    rest = json.dumps(vector(*numbers[1:]))[len('{"L": [') :]
    with RawConnection(server.address) as connection:
        for first in range(0, ROWS, 25):
            puts = (
                f'{{"PutRequest":{{"Item":{{"id":{{"S":"d{row}"}},"v":{{"L":[{{"N":"{row}"}},{rest}}}}}}}'
                for row in range(first, first + 25)
            )
            body = f'{{"RequestItems":{{"documents":[{",".join(puts)}]}}}}'
            reply = connection.ask(post("BatchWriteItem", body.encode()))
            assert reply.json() == {"UnprocessedItems": {}}


@pytest.mark.parametrize(
    "arguments",
    [("--on", "data.db"), pytest.param(("--memory",), marks=pytest.mark.soak)],
    ids=["file", "memory"],
)
def test_other_clients_are_served_while_searches_run(arguments: tuple[str, ...], tmp_path: Any) -> None:
    """A search compares many vectors; meanwhile a put and a get take a fraction of its time."""
    arguments = tuple(
        str(tmp_path / argument) if argument == "data.db" else argument for argument in arguments
    )
    with ServerProcess(*arguments) as server:
        client = boto_client(server)
        client.create_table(**create_request(vector_index(Dimensions=DIMENSIONS)))
        numbers = [str(number / 7) for number in range(DIMENSIONS)]
        fill(server, numbers)
        searches: list[float] = []
        waits: list[float] = []
        stop = threading.Event()

        def search() -> None:
            mine = boto_client(server)
            request = search_request(*numbers, TopK=100, ProjectionExpression="id, v")
            while not stop.is_set():
                start = time.perf_counter()
                mine.search_vectors(**request)
                searches.append(time.perf_counter() - start)

        thread = threading.Thread(target=search)
        thread.start()
        try:
            while len(searches) < 3:
                start = time.perf_counter()
                client.put_item(TableName="documents", Item={"id": {"S": "other"}})
                client.get_item(TableName="documents", Key={"id": {"S": "other"}})
                waits.append(time.perf_counter() - start)
        finally:
            stop.set()
            thread.join()
        # Served between the steps of a search, not after it.
        assert len(waits) > len(searches)
        assert sorted(waits)[len(waits) // 2] < max(searches)
