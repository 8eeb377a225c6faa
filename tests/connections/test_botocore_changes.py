"""Changes of botocore by other code: all are noticed, and none is reported where there is none."""

import logging
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import boto3
import pytest
from botocore.config import Config
from botocore.loaders import create_loader
from botocore.session import Session
from botocore.stub import Stubber

from tablewright.connections.botocore_changes import BotocoreChanges

LOADER = create_loader()  # loads the model of the service once for all clients
ENDPOINT = {"endpoint_url": "http://127.0.0.1:1"}
KEYS = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
ONE_ATTEMPT = Config(retries={"mode": "standard", "total_max_attempts": 1})


def new_session() -> Any:
    session = Session()
    session.register_component("data_loader", LOADER)
    return boto3.Session(botocore_session=session)


def new_client(session: Any = None, config: Config | None = None, **settings: Any) -> Any:
    return (session or new_session()).client(
        "dynamodb", region_name="us-east-1", **KEYS, config=ONE_ATTEMPT.merge(config or Config()), **settings
    )


@pytest.fixture(scope="module")
def client() -> Any:
    """One for all tests, as it takes long to make one: each test undoes its changes."""
    return new_client(**ENDPOINT)


def watch(**_: Any) -> None:
    """An event handler, as a tracing library registers it."""


def test_a_new_client_is_unchanged(client: Any) -> None:
    changes = BotocoreChanges(client)
    assert changes.is_unchanged()
    assert changes.reason is None


@pytest.mark.parametrize(
    "event",
    [
        "*",
        "before-send",
        "before-send.dynamodb",
        "before-send.dynamodb.TransactGetItems",
        "request-created.*.Query",
        "provide-client-params.dynamodb.PutItem",
        "before-call.dynamodb",
        "before-sign",
        "choose-signer.dynamodb",
        "response-received",
        "after-call.dynamodb.*",
        "after-call-error",
        "needs-retry.dynamodb.GetItem",
        "before-endpoint-resolution",
    ],
)
def test_a_handler_is_noticed_until_it_is_unregistered(client: Any, event: str) -> None:
    changes = BotocoreChanges(client)
    assert changes.is_unchanged()
    client.meta.events.register(event, watch)
    assert not changes.is_unchanged()
    assert changes.reason is not None
    assert "watch is registered for the event" in changes.reason
    client.meta.events.unregister(event, watch)
    assert changes.is_unchanged()


@pytest.mark.parametrize(
    "event", ["before-send.s3", "before-send.dynamodb.ListTables", "creating-client-class"]
)
def test_a_handler_of_other_requests_is_no_change(client: Any, event: str) -> None:
    client.meta.events.register(event, watch)
    try:
        assert BotocoreChanges(client).is_unchanged()
    finally:
        client.meta.events.unregister(event, watch)


@pytest.mark.parametrize(
    "config",
    [
        Config(),
        Config(use_fips_endpoint=True),
        Config(use_dualstack_endpoint=True),
        Config(account_id_endpoint_mode="required"),
        Config(max_pool_connections=5, tcp_keepalive=True, user_agent="mine", read_timeout=5),
    ],
)
def test_a_client_of_aws_is_unchanged(config: Config) -> None:
    changes = BotocoreChanges(new_client(config=config))
    changes.is_unchanged()
    assert changes.reason is None


def test_the_discovery_of_endpoints_is_noticed() -> None:
    changes = BotocoreChanges(new_client(config=Config(endpoint_discovery_enabled=True)))
    assert not changes.is_unchanged()
    assert "EndpointDiscoveryHandler" in str(changes.reason)


def test_a_handler_of_the_session_is_noticed() -> None:
    session = new_session()
    session.events.register("before-send", watch)
    assert not BotocoreChanges(new_client(session)).is_unchanged()


def test_a_stub_is_noticed(client: Any) -> None:
    changes = BotocoreChanges(client)
    with Stubber(client):
        assert not changes.is_unchanged()
    assert changes.is_unchanged()


def test_other_retries_are_noticed() -> None:
    legacy = BotocoreChanges(new_client(config=Config(retries={"mode": "legacy"})))
    assert not legacy.is_unchanged()


def copied(original: Callable[..., Any]) -> Callable[..., Any]:
    def replacement(*arguments: Any, **named: Any) -> Any:
        return original(*arguments, **named)

    replacement.__module__, replacement.__qualname__ = original.__module__, original.__qualname__
    return replacement


@pytest.mark.parametrize(
    "method",
    [
        "botocore.client.BaseClient._make_api_call",
        "botocore.endpoint.Endpoint.make_request",
        "botocore.endpoint.Endpoint._send",
        "botocore.signers.RequestSigner.sign",
        "botocore.httpsession.URLLib3Session.send",
        "botocore.awsrequest.AWSHTTPConnection.request",
    ],
)
@pytest.mark.parametrize("early", [True, False], ids=["before", "after"])
def test_a_replaced_method_is_noticed(client: Any, method: str, early: bool) -> None:
    changes = BotocoreChanges(client)
    assert early or changes.is_unchanged()
    with patch(method):
        assert not changes.is_unchanged()
        assert changes.reason is not None
        assert "is replaced" in changes.reason
    assert changes.is_unchanged()


def test_a_replacement_with_the_same_name_is_noticed(client: Any) -> None:
    from botocore.client import BaseClient

    with patch.object(BaseClient, "_make_api_call", copied(BaseClient._make_api_call)):
        assert not BotocoreChanges(client).is_unchanged()


def test_the_debug_log_of_botocore_has_every_request(client: Any) -> None:
    changes = BotocoreChanges(client)
    logger = logging.getLogger("botocore")
    before = logger.level
    logger.setLevel(logging.DEBUG)
    try:
        assert not changes.is_unchanged()
    finally:
        logger.setLevel(before)
    assert changes.is_unchanged()


def test_the_history_of_botocore_has_every_request(client: Any) -> None:
    from botocore.history import get_global_history_recorder

    changes, history = BotocoreChanges(client), get_global_history_recorder()
    history.enable()
    try:
        assert not changes.is_unchanged()
    finally:
        history.disable()
    assert changes.is_unchanged()
