"""Routes: the endpoint, headers and signatures of botocore, whatever the settings."""

import json
import threading
from typing import Any

import boto3
import pytest
from botocore import UNSIGNED
from botocore.config import Config
from botocore.credentials import ReadOnlyCredentials
from botocore.exceptions import BotoCoreError, HTTPClientError
from botocore.loaders import create_loader
from botocore.session import Session

from tablewright.connections.direct_calls import Route, UnknownRoute, learn_route
from tests.connections.scripted_server import ScriptedServer, http_reply

LOADER = create_loader()  # loads the model of the service once for all clients
CREDENTIALS = ReadOnlyCredentials("key", "secret", None, None)


def client(token: str | None = None, account: str | None = None, **settings: Any) -> Any:
    settings.setdefault("region_name", "eu-north-1")
    session = Session()
    session.register_component("data_loader", LOADER)
    session.set_credentials("key", "secret", token, account)
    config = Config(parameter_validation=False).merge(settings.pop("config", Config()))
    return boto3.Session(botocore_session=session).client("dynamodb", config=config, **settings)


def route(credentials: ReadOnlyCredentials = CREDENTIALS, **settings: Any) -> Route:
    made = client(credentials.token, credentials.account_id, **settings)
    return learn_route(made, credentials)


@pytest.mark.parametrize(
    ("settings", "url", "host", "path"),
    [
        ({}, "https://dynamodb.eu-north-1.amazonaws.com/", "dynamodb.eu-north-1.amazonaws.com", "/"),
        (
            {"config": Config(use_fips_endpoint=True), "region_name": "us-east-1"},
            "https://dynamodb-fips.us-east-1.amazonaws.com/",
            "dynamodb-fips.us-east-1.amazonaws.com",
            "/",
        ),
        (
            {"config": Config(use_dualstack_endpoint=True)},
            "https://dynamodb.eu-north-1.api.aws/",
            "dynamodb.eu-north-1.api.aws",
            "/",
        ),
        ({"region_name": "cn-north-1"}, "https://dynamodb.cn-north-1.amazonaws.com.cn/", None, "/"),
        ({"endpoint_url": "http://127.0.0.1:8000"}, "http://127.0.0.1:8000/", "127.0.0.1:8000", "/"),
        ({"endpoint_url": "http://Example.com:80"}, "http://Example.com:80/", "example.com", "/"),
        ({"endpoint_url": "https://example.com:443/a/../b"}, None, "example.com", "/a/../b"),
        ({"endpoint_url": "http://[::1]:8000/prefix"}, "http://[::1]:8000/prefix", "[::1]:8000", "/prefix"),
    ],
)
def test_the_endpoint_is_botocores(
    settings: dict[str, Any], url: str | None, host: str | None, path: str | None, no_aws_settings: None
) -> None:
    learned = route(**settings)
    assert url in {None, learned.url}
    assert host in {None, learned.host}
    assert path in {None, learned.path}


def test_an_account_has_its_own_endpoint(no_aws_settings: None) -> None:
    learned = route(ReadOnlyCredentials("key", "secret", None, "123456789012"))
    assert learned.host == "123456789012.ddb.eu-north-1.amazonaws.com"


def test_an_endpoint_of_the_environment_is_used(
    no_aws_settings: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:8111")
    assert route().url == "http://127.0.0.1:8111/"


def test_a_session_token_and_a_user_agent_are_taken_over(no_aws_settings: None) -> None:
    learned = route(ReadOnlyCredentials("key", "secret", "token", None), config=Config(user_agent="mine"))
    assert learned.user_agent.startswith("mine")
    assert learned.attempt == "attempt=1"


def test_nothing_is_sent_and_no_handler_stays(no_aws_settings: None) -> None:
    made = client(endpoint_url="http://127.0.0.1:1")
    learn_route(made, CREDENTIALS)
    assert not made.meta.events._emitter._handlers.prefix_search("before-send.dynamodb.GetItem")


def test_a_request_of_another_thread_is_sent_while_the_route_is_learned(no_aws_settings: None) -> None:
    with ScriptedServer(http_reply(b'{"Item":{"from":{"S":"server"}}}')) as server:
        made = client(endpoint_url=server.url)
        get_item, replies = made.get_item, []

        def get_item_beside_another(**request: Any) -> Any:
            call = {"TableName": "t", "Key": {"id": {"S": "other"}}}
            other = threading.Thread(target=lambda: replies.append(get_item(**call)))
            other.start()
            other.join()
            return get_item(**request)

        made.get_item = get_item_beside_another
        assert learn_route(made, CREDENTIALS).url == f"{server.url}/"
        assert [reply["Item"] for reply in replies] == [{"from": {"S": "server"}}]
        assert [json.loads(body)["TableName"] for _, body in server.requests] == ["t"]


def test_unsigned_requests_have_no_route(no_aws_settings: None) -> None:
    with pytest.raises(UnknownRoute, match="not signed with AWS4-HMAC-SHA256"):
        route(config=Config(signature_version=UNSIGNED))


def test_a_header_of_another_handler_has_no_route(no_aws_settings: None) -> None:
    made = client()
    made.meta.events.register("before-sign", lambda request, **_: request.headers.add_header("x-tenant", "a"))
    with pytest.raises(UnknownRoute, match="x-tenant"):
        learn_route(made, CREDENTIALS)


def test_another_signature_has_no_route(no_aws_settings: None) -> None:
    with pytest.raises(UnknownRoute, match="in another way"):
        learn_route(client(), ReadOnlyCredentials("key", "other secret", None, None))


def test_an_endpoint_with_a_query_string_has_no_route(no_aws_settings: None) -> None:
    with pytest.raises(UnknownRoute, match="query string"):
        route(endpoint_url="http://127.0.0.1:8000/?tenant=a")


@pytest.mark.parametrize("path", ["a b", "é", "a%20b", "a;b"])
def test_an_endpoint_that_must_be_escaped_has_no_route(path: str, no_aws_settings: None) -> None:
    with pytest.raises(UnknownRoute, match="escaped"):
        route(endpoint_url=f"http://127.0.0.1:8000/{path}")


def test_an_impossible_endpoint_is_botocores_error(no_aws_settings: None) -> None:
    with pytest.raises(BotoCoreError):
        route(
            ReadOnlyCredentials("key", "secret", None, "123456789012"),
            config=Config(use_fips_endpoint=True, account_id_endpoint_mode="required"),
        )


def test_a_line_end_in_a_token_is_rejected(no_aws_settings: None) -> None:
    learned = route()
    with pytest.raises(HTTPClientError, match="line end"):
        learned.signer(ReadOnlyCredentials("key", "secret", "a\r\nX-Evil: 1", None))
