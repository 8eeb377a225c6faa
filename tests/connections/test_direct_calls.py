"""The direct path against boto3's own: the same replies, the same errors, the same settings."""

import json
import random
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import boto3
import pytest
from botocore import UNSIGNED
from botocore.config import Config
from botocore.credentials import RefreshableCredentials
from botocore.loaders import create_loader
from botocore.session import Session

from tablewright import embedded, errors
from tablewright.connections.remote import Remote
from tablewright.dynamodb.values.capacity import DATA_OPERATIONS
from tests.connections.random_requests import random_request
from tests.connections.scripted_server import ScriptedServer, http_reply
from tests.connections.tables import MUSIC
from tests.server.processes import ServerProcess

NINA = {"Artist": {"S": "Nina"}, "Song": {"S": "Sinnerman"}}
GET: dict[str, Any] = {"TableName": "Music", "Key": NINA}
KEYS: dict[str, Any] = {"aws_access_key_id": "AKIDEXAMPLE", "aws_secret_access_key": "secret"}
LATE = timedelta(hours=1)
LOADER = create_loader()  # loads the model of the service once for all connections


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that verifies every signature."""
    keys = tmp_path_factory.mktemp("keys") / "keys.ini"
    keys.write_text("[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = secret\n")
    keys.chmod(0o600)
    with ServerProcess("--memory", "--require-signatures", "--credentials", str(keys)) as process:
        yield process.url


@pytest.fixture(scope="module")
def remote(server: str) -> Iterator[Remote]:
    made = Remote("us-east-1", server, **KEYS)
    made.call("CreateTable", MUSIC)
    yield made
    made.close()


def sent_directly(remote: Remote, operation: str, request: dict[str, Any]) -> bool:
    """Whether a call does not go through boto3."""
    with patch.object(remote, "call_boto3", return_value={"through": "boto3"}):
        try:
            return remote.call(operation, request) != {"through": "boto3"}
        except errors.TablewrightError:
            return True


def result(call: Any, operation: str, request: dict[str, Any]) -> tuple[Any, ...]:
    """The reply, or the error with all that the caller can see of it."""
    try:
        reply = call(operation, request)
    except (errors.TablewrightError, RuntimeError) as error:
        kept = {name: value for name, value in vars(error).items() if name != "__notes__"}
        return type(error), str(error), getattr(error, "code", None), kept
    return (reply,)


# The same results


def test_random_requests_have_the_same_results_on_both_paths(remote: Remote) -> None:
    """Two servers get the same requests, one of them directly."""
    source, seen = random.Random(11), set()
    with ServerProcess("--memory") as process:
        other = _shared(process.url)
        other.call("CreateTable", MUSIC)
        for _ in range(400):
            operation, request = random_request(source)
            direct = result(remote.call, operation, request)
            through_boto3 = result(other.call_boto3, operation, request)
            assert direct == through_boto3, (operation, request)
            seen.add((operation, len(direct)))
        other.close()
    operations = {operation for operation, _ in seen}
    assert operations == set(DATA_OPERATIONS)
    assert {(operation, 1) for operation in operations} <= seen, "some operation never succeeded"
    assert sum(1 for _, size in seen if size > 1) >= 5, "too few operations failed"


@pytest.mark.parametrize(
    "reply",
    [
        http_reply(b'{"Item":{"a":{"B":"AA=="}}}'),
        http_reply(b'{"Item":null,"ConsumedCapacity":{"CapacityUnits":1}}'),
        http_reply(b'{"Item":{}}', checksum=False),
        http_reply(
            b'{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}', 400
        ),
        http_reply(b'{"__type":"x#ThrottlingException","message":"slow down"}', 400),
        http_reply(
            b'{"__type":"x#ConditionalCheckFailedException","message":"no","Item":{"a":{"B":"AA=="}}}', 400
        ),
        http_reply(
            b'{"__type":"x#TransactionCanceledException","CancellationReasons":[{"Code":"None"}]}', 400
        ),
        http_reply(b'{"__type":"x#ExpiredTokenException","message":"expired"}', 400),
        http_reply(b'{"__type":"x#InvalidSignatureException","message":"Signature not yet current"}', 400),
        http_reply(b'{"__type":"x#InternalServerError","message":"fault"}', 500),
        http_reply(b"<html>Bad Gateway</html>", 502, checksum=False),
        http_reply(b"", 503, checksum=False),
        http_reply(b'{"Item":{}}', 307, checksum=False, more="Location: http://127.0.0.1:1/\r\n"),
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nx-amz-crc32: 5\r\n\r\n{}",
        http_reply(b"<html>login</html>"),
        (ScriptedServer.CLOSE,),
        (b"HTTP/1.1 200 OK\r\n", ScriptedServer.CLOSE),
    ],
    ids=lambda reply: str(reply)[-60:],
)
def test_a_reply_has_the_same_result_on_both_paths(
    reply: bytes | tuple[bytes, ...], no_aws_settings: None
) -> None:
    ok = http_reply(b"{}")
    with ScriptedServer(ok, reply) as direct, ScriptedServer(ok, reply) as through_boto3:
        first, second = _shared(direct.url), _shared(through_boto3.url)
        assert first.call("GetItem", GET) == second.call_boto3("GetItem", GET) == {}
        assert sent_directly(first, "GetItem", GET)
        got, expected = (
            [str(part).replace(each.url, "URL") for part in result(call, "GetItem", GET)]
            for call, each in ((first.call, direct), (second.call_boto3, through_boto3))
        )
        assert got == expected
        first.close()
        second.close()


def test_a_cut_reply_is_lost_on_both_paths(no_aws_settings: None) -> None:
    cut = (http_reply(b'{"Item":{"a":{"S":"long"}}}')[:-5], ScriptedServer.CLOSE)
    for call in ("call", "call_boto3"):
        with ScriptedServer(http_reply(b"{}"), cut) as server:
            remote = _shared(server.url)
            remote.call("GetItem", GET)
            with pytest.raises(errors.LostConnection) as lost:
                getattr(remote, call)("GetItem", GET)
            assert lost.value.was_sent
            remote.close()


def test_a_late_reply_is_lost_on_both_paths(no_aws_settings: None) -> None:
    for call in ("call", "call_boto3"):
        with ScriptedServer(http_reply(b"{}"), (b"HTTP/1.1 ",)) as server:
            remote = _shared(server.url, config=Config(read_timeout=0.5))
            remote.call("GetItem", GET)
            with pytest.raises(errors.LostConnection, match="Read timeout on endpoint URL") as lost:
                getattr(remote, call)("GetItem", GET)
            assert lost.value.was_sent
            remote.close()


def test_an_unreachable_endpoint_was_sent_nothing(no_aws_settings: None) -> None:
    remote = _shared("http://127.0.0.1:1")
    with pytest.raises(errors.LostConnection) as lost:
        remote.call("GetItem", GET)
    assert not lost.value.was_sent
    assert remote.why_not_direct() is None


def _shared(url: str, **settings: Any) -> Remote:
    return Remote("us-east-1", url, session=_session(), **KEYS, **settings)


def _session(credentials: Any = None) -> boto3.Session:
    """A new session, with these credentials or none."""
    session = Session()
    session.register_component("data_loader", LOADER)
    if credentials is not None:
        session._credentials = credentials
    return boto3.Session(botocore_session=session)


# The same requests


def test_both_paths_send_the_same_request(no_aws_settings: None) -> None:
    """Except the order of headers, spaces in JSON, and what differs from one request to the next."""
    with ScriptedServer(http_reply(b"{}")) as server:
        remote = _shared(server.url, aws_session_token="token", config=Config(user_agent="mine"))
        remote.call("PutItem", {"TableName": "t", "Item": {"a": {"B": b"x"}, "b": {"S": "é"}}})
        for _ in range(2):
            remote.call("PutItem", {"TableName": "t", "Item": {"a": {"B": b"x"}, "b": {"S": "é"}}})
        remote.call_boto3("PutItem", {"TableName": "t", "Item": {"a": {"B": b"x"}, "b": {"S": "é"}}})
        *ours, theirs = [_parsed(*request) for request in server.requests]
        assert ours == [theirs] * 3
        assert len({head for head, _ in server.requests}) == 4  # invocation ids differ
        assert server.connections == 1


def _parsed(head: str, body: bytes) -> Any:
    first, *lines = head.split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    for name in ("amz-sdk-invocation-id", "x-amz-date", "content-length"):
        assert headers.pop(name)
    headers["authorization"] = headers["authorization"].partition(", signature")[0]
    return first, headers, json.loads(body)


def test_a_trace_id_of_lambda_is_sent(no_aws_settings: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "function")
    with ScriptedServer(http_reply(b"{}")) as server:
        remote = _shared(server.url)
        for trace in ("Root=1", "Root=2"):
            monkeypatch.setenv("_X_AMZN_TRACE_ID", trace)
            remote.call("GetItem", GET)
        assert ["X-Amzn-Trace-Id: Root=1" in server.requests[0][0], "Root=2" in server.requests[1][0]] == [
            True
        ] * 2


def test_tables_named_by_arn_take_the_endpoint_that_botocore_chooses(remote: Remote) -> None:
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/Music"
    assert sent_directly(remote, "GetItem", GET)
    assert not sent_directly(remote, "GetItem", {**GET, "TableName": arn})


# Credentials


def refreshable(*keys: tuple[str, timedelta]) -> RefreshableCredentials:
    """Credentials that are refreshed: access keys, and when they expire from now."""
    remaining = iter(keys)

    def refresh() -> dict[str, Any]:
        key, expires_in = next(remaining)
        expiry = str(datetime.now(UTC) + expires_in)
        return {"access_key": key, "secret_key": "secret", "token": f"token of {key}", "expiry_time": expiry}

    return RefreshableCredentials.create_from_metadata(refresh(), refresh, "test")


def test_refreshed_credentials_are_used(no_aws_settings: None) -> None:
    credentials = refreshable(("FIRST", LATE), ("SECOND", LATE))
    with ScriptedServer(http_reply(b"{}")) as server:
        remote = Remote("us-east-1", server.url, session=_session(credentials))
        remote.call("GetItem", GET)
        remote.call("GetItem", GET)
        credentials._expiry_time = datetime.now(UTC) - LATE
        remote.call("GetItem", GET)
        assert sent_directly(remote, "GetItem", GET)
        heads = [head for head, _ in server.requests]
        assert ["Credential=FIRST/" in head for head in heads] == [True, True, False, False]
        assert ["X-Amz-Security-Token: token of SECOND" in head for head in heads] == [
            False,
            False,
            True,
            True,
        ]
        remote.close()


def test_credentials_that_cannot_be_refreshed_are_the_same_error(no_aws_settings: None) -> None:
    credentials = refreshable(("FIRST", LATE), *[("EXPIRED", -LATE)] * 2)
    with ScriptedServer(http_reply(b"{}")) as server:
        remote = Remote("us-east-1", server.url, session=_session(credentials))
        remote.call("GetItem", GET)
        credentials._expiry_time = datetime.now(UTC) - LATE
        direct = result(remote.call, "GetItem", GET)
        assert direct == result(remote.call_boto3, "GetItem", GET)
        assert "still expired" in direct[1]
        assert len(server.requests) == 1
        remote.close()


def test_wrong_credentials_are_rejected_by_the_server(server: str) -> None:
    wrong = Remote("us-east-1", server, aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key="wrong")
    assert sent_directly(wrong, "GetItem", GET)
    direct = result(wrong.call, "GetItem", GET)
    assert direct[2] in {"InvalidSignatureException", "UnrecognizedClientException"}
    assert direct[0] is result(wrong.call_boto3, "GetItem", GET)[0]
    wrong.close()


def test_a_wrong_clock_is_the_same_error(server: str, no_aws_settings: None) -> None:
    remote = _shared(server)
    remote.call("ListTables", {})
    late = datetime.now(UTC).timestamp() - 3600
    with patch("tablewright.connections.direct_calls.time", lambda: late):
        direct = result(remote.call, "GetItem", GET)
    naive = datetime.fromtimestamp(late, UTC).replace(tzinfo=None)
    with patch("botocore.auth.get_current_datetime", lambda **_: naive):
        through_boto3 = result(remote.call_boto3, "GetItem", GET)
    assert (direct[0], direct[2]) == (through_boto3[0], through_boto3[2])
    assert "Signature expired" in direct[1]
    remote.close()


# What takes boto3's own path


def test_a_mock_of_before_send_gets_every_request(no_aws_settings: None) -> None:
    """moto registers such a handler for all clients of the process."""
    from botocore.awsrequest import AWSResponse

    seen: list[str] = []

    class Raw:
        def stream(self) -> list[bytes]:
            return [b'{"Item":{"from":{"S":"mock"}}}']

    def mock(request: Any, event_name: str, **_: Any) -> AWSResponse:
        seen.append(event_name)
        return AWSResponse(request.url, 200, {}, Raw())

    session = _session()
    session.events.register("before-send", mock)
    remote = Remote("us-east-1", "http://127.0.0.1:1", session=session, **KEYS)
    assert remote.call("GetItem", GET) == {"Item": {"from": {"S": "mock"}}}
    assert seen == ["before-send.dynamodb.GetItem"]
    reason = remote.why_not_direct()
    assert reason is not None
    assert "is registered for the event before-send" in reason


def test_interception_redirects_a_connection_and_releases_it(no_aws_settings: None) -> None:
    with ScriptedServer(http_reply(b'{"Item":{"from":{"S":"server"}}}')) as server, embedded() as db:
        db.call("CreateTable", MUSIC)
        remote = _shared(server.url)
        from_server = {"Item": {"from": {"S": "server"}}}
        assert remote.call("GetItem", GET) == from_server
        with db.intercept():
            assert remote.call("GetItem", GET) == {}
        assert remote.call("GetItem", GET) == from_server
        assert len(server.requests) == 2
        assert sent_directly(remote, "GetItem", GET)
        remote.close()


def test_a_validation_that_the_configuration_requests_is_done(no_aws_settings: None) -> None:
    with ScriptedServer(http_reply(b"{}")) as server:
        remote = _shared(server.url, config=Config(parameter_validation=True))
        with pytest.raises(errors.ValidationError, match="Parameter validation failed"):
            remote.call("GetItem", {"TableName": "Music"})
        assert not server.requests
        assert remote.why_not_direct() == "the configuration requests that botocore validates parameters"


def test_unsigned_requests_are_sent_unsigned(no_aws_settings: None) -> None:
    with ScriptedServer(http_reply(b"{}")) as server:
        remote = _shared(server.url, config=Config(signature_version=UNSIGNED))
        assert remote.call("GetItem", GET) == {}
        assert "authorization" not in server.requests[0][0].lower()
        assert remote.why_not_direct() == "there are no credentials"
        remote.close()


def test_no_credentials_are_boto3s_error(no_aws_settings: None) -> None:
    remote = Remote("eu-north-1", session=_session())
    assert remote.why_not_direct() == "there are no credentials"
    with pytest.raises(errors.Unreachable, match="credentials"):
        remote.call("GetItem", GET)


def test_a_proxy_gets_requests_in_its_form(no_aws_settings: None) -> None:
    with ScriptedServer(http_reply(b'{"Item":{"from":{"S":"proxy"}}}')) as proxy:
        remote = _shared("http://dynamodb.example:8000", config=Config(proxies={"http": proxy.url}))
        for _ in range(2):
            assert remote.call("GetItem", GET) == {"Item": {"from": {"S": "proxy"}}}
        assert [head.split("\r\n")[0] for head, _ in proxy.requests] == [
            "POST http://dynamodb.example:8000/ HTTP/1.1"
        ] * 2
        remote.close()


def test_an_unknown_version_of_botocore_is_left_to_boto3(no_aws_settings: None) -> None:
    with ScriptedServer(http_reply(b"{}")) as server:
        remote = _shared(server.url)
        with patch(
            "tablewright.connections.direct_calls.learn_route", side_effect=AttributeError("no _endpoint")
        ):
            assert remote.call("GetItem", GET) == {}
        assert remote.why_not_direct() == "no _endpoint"
        assert remote.call("GetItem", GET) == {}
        remote.close()


# Connections


def test_threads_share_a_connection(remote: Remote) -> None:
    # In a table of its own: other tests compare the replies of Scan.
    remote.call("CreateTable", {**MUSIC, "TableName": "Counters"})
    counter = {"Artist": {"S": "counter"}, "Song": {"S": "threads"}}
    add = {"UpdateExpression": "ADD Plays :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
    replies: list[Any] = []

    def count() -> None:
        for _ in range(20):
            replies.append(
                remote.call(
                    "UpdateItem", {"TableName": "Counters", "Key": counter, **add, "ReturnValues": "ALL_NEW"}
                )
            )

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(int(reply["Attributes"]["Plays"]["N"]) for reply in replies) == list(range(1, 161))


def test_a_closed_connection_opens_again(no_aws_settings: None) -> None:
    with ScriptedServer(http_reply(b"{}")) as server:
        remote = _shared(server.url)
        for _ in range(2):
            remote.call("GetItem", GET)
            remote.call("GetItem", GET)
            remote.close()
        assert server.connections == 2


def test_a_connection_that_the_server_closed_is_opened_again(no_aws_settings: None) -> None:
    with ScriptedServer((http_reply(b"{}"), ScriptedServer.CLOSE)) as server:
        remote = _shared(server.url)
        for _ in range(3):
            assert remote.call("GetItem", GET) == {}
            _wait_until_closed(remote)
        assert server.connections == 3
        remote.close()


def _wait_until_closed(remote: Remote) -> None:
    """Wait for the end of the server's side, as a client that was idle for long has seen it."""
    from urllib3.util.wait import wait_for_read

    pool = remote._direct._route[2]
    connection = pool._get_conn()
    assert connection.sock is None or wait_for_read(connection.sock, 5)
    pool._put_conn(connection)
