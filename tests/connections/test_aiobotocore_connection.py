"""Async endpoints through aiobotocore: the same replies and errors as through boto3."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from botocore.config import Config

from tablewright import embedded, errors
from tablewright.connections.aiobotocore_connection import AsyncRemote, learn_route_async
from tablewright.connections.remote import Remote
from tests.connections.random_requests import random_request
from tests.connections.scripted_server import ScriptedServer, http_reply
from tests.connections.tables import MUSIC
from tests.server.processes import ServerProcess


@pytest.fixture
def endpoint(no_aws_settings: None) -> Iterator[str]:
    with ServerProcess("--memory") as process:
        yield process.url


def test_replies_and_errors_of_an_endpoint(endpoint: str) -> None:
    async def use() -> Any:
        connection = AsyncRemote(Remote("us-east-1", endpoint))
        await connection.call("CreateTable", MUSIC)
        with pytest.raises(errors.ResourceNotFound):
            await connection.call("DescribeTable", {"TableName": "Absent"})
        with pytest.raises(errors.UnknownOperation, match="DynamoDB has no operation Nonsense"):
            await connection.call("Nonsense", {})
        streams = await connection.call("ListStreams", {"TableName": "Music"})
        calls = [connection.call("ListTables", {}) for _ in range(5)]
        names = [reply["TableNames"] for reply in await asyncio.gather(*calls)]
        await connection.close()
        return streams, names

    streams, names = asyncio.run(use())
    assert streams["Streams"] == []
    assert "ResponseMetadata" not in streams
    assert names == [["Music"]] * 5


def test_an_unreachable_endpoint_is_a_lost_connection(no_aws_settings: None) -> None:
    async def use() -> None:
        connection = AsyncRemote(Remote("us-east-1", "http://127.0.0.1:1"))
        try:
            await connection.call("ListTables", {})
        finally:
            await connection.close()

    with pytest.raises(errors.LostConnection) as caught:
        asyncio.run(use())
    assert not caught.value.was_sent


pytestmark = pytest.mark.usefixtures("no_aws_settings")
NINA = {"Artist": {"S": "Nina"}, "Song": {"S": "Sinnerman"}}
GET: dict[str, Any] = {"TableName": "Music", "Key": NINA}


def use(url: str, work: Callable[[AsyncRemote], Awaitable[Any]], **settings: Any) -> Any:
    """The result of work on a connection that is closed afterwards."""

    async def run() -> Any:
        keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", **settings}
        connection = AsyncRemote(Remote("us-east-1", url, **keys))
        try:
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(run())


def why_not(connection: AsyncRemote) -> str | None:
    assert connection._direct is not None
    return connection._direct.why_not()


async def result(call: Any, operation: str, request: dict[str, Any]) -> tuple[Any, ...]:
    try:
        return (await call(operation, request),)
    except errors.TablewrightError as error:
        return type(error), str(error), vars(error)


def test_random_requests_have_the_same_results_on_both_paths() -> None:
    source = random.Random(6)
    requests = [random_request(source) for _ in range(100)]

    async def send(connection: AsyncRemote, *, directly: bool) -> list[tuple[Any, ...]]:
        await connection.call("CreateTable", MUSIC)
        call = connection.call if directly else connection.call_aiobotocore
        found = [await result(call, *request) for request in requests]
        assert why_not(connection) is None
        return found

    with ServerProcess("--memory") as one, ServerProcess("--memory") as other:
        direct = use(one.url, lambda connection: send(connection, directly=True))
        assert direct == use(other.url, lambda connection: send(connection, directly=False))
    assert {len(each) for each in direct} == {1, 3}


@pytest.mark.parametrize(
    "reply",
    [
        http_reply(b'{"Item":{"a":{"B":"AA=="}}}'),
        http_reply(b'{"__type":"x#ThrottlingException","message":"slow down"}', 400),
        http_reply(b'{"__type":"x#InternalServerError","message":"fault"}', 500),
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nx-amz-crc32: 5\r\n\r\n{}",
        http_reply(b"<html>login</html>"),
        (http_reply(b'{"Item":{}}')[:-5], ScriptedServer.CLOSE),
    ],
    ids=["item", "throttled", "fault", "checksum", "page", "cut"],
)
def test_a_reply_has_the_same_result_on_both_paths(reply: bytes | tuple[bytes, ...]) -> None:
    async def send(connection: AsyncRemote) -> None:
        await connection.call("GetItem", GET)
        direct = await result(connection.call, "GetItem", GET)
        assert str(direct) == str(await result(connection.call_aiobotocore, "GetItem", GET))

    with ScriptedServer(http_reply(b"{}"), reply) as server:
        use(server.url, send)


def test_both_paths_send_the_same_request() -> None:
    async def send(connection: AsyncRemote) -> None:
        await connection.call("GetItem", GET)
        await connection.call_aiobotocore("GetItem", GET)

    with ScriptedServer(http_reply(b"{}")) as server:
        use(server.url, send, aws_session_token="token")
        direct, other = (_parsed(*request) for request in server.requests)
        assert direct == other


def _parsed(head: str, body: bytes) -> Any:
    first, *lines = head.split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    for name in ("amz-sdk-invocation-id", "x-amz-date", "content-length"):
        assert headers.pop(name)
    headers["authorization"] = headers["authorization"].partition(", signature")[0]
    return first, headers, json.loads(body)


def test_concurrent_first_calls_are_all_sent() -> None:
    async def send(connection: AsyncRemote) -> None:
        await asyncio.gather(*[connection.call("GetItem", GET) for _ in range(20)])

    with ScriptedServer(http_reply(b"{}")) as server:
        use(server.url, send)
        assert [json.loads(body) for _, body in server.requests] == [GET] * 20


def test_interception_redirects_a_connection_and_releases_it() -> None:
    async def send(connection: AsyncRemote) -> None:
        from_server = {"Item": {"from": {"S": "server"}}}
        assert await connection.call("GetItem", GET) == from_server
        with embedded() as db:
            db.call("CreateTable", MUSIC)
            with db.intercept():
                assert await connection.call("GetItem", GET) == {}
        assert await connection.call("GetItem", GET) == from_server
        assert why_not(connection) is None

    with ScriptedServer(http_reply(b'{"Item":{"from":{"S":"server"}}}')) as server:
        use(server.url, send)
        assert len(server.requests) == 2


def test_a_validation_that_the_configuration_requests_is_done() -> None:
    async def send(connection: AsyncRemote) -> None:
        with pytest.raises(errors.ValidationError, match="Parameter validation failed"):
            await connection.call("GetItem", {"TableName": "Music"})
        assert "validates parameters" in str(why_not(connection))

    use("http://127.0.0.1:1", send, config=Config(parameter_validation=True))


def test_a_connection_to_aws_is_direct() -> None:
    async def look() -> tuple[str | None, str]:
        keys: dict[str, Any] = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
        connection = AsyncRemote(Remote("eu-north-1", **keys))
        direct = await connection._open_direct()
        learned = await learn_route_async(direct._client, await direct._credentials.get_frozen_credentials())
        await connection.close()
        return direct.why_not(), learned.url

    assert asyncio.run(look()) == (None, "https://dynamodb.eu-north-1.amazonaws.com/")
