"""A region that does not reply delays only the request that asks it."""

import threading
import time
from typing import Any

import pytest

from tablewright.dynamodb.policies import Caller, Principal
from tablewright.engine.features.authorization.authorizations import Authorization
from tablewright.engine.features.replicas.replica_progress import links_of
from tablewright.errors import AccessDenied, Unreachable
from tests.engine.features.replicas.replicated_table import EU, US, World


class Silent:
    """A peer that replies only when it is released."""

    def __init__(self) -> None:
        self.called = threading.Event()
        self.released = threading.Event()

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.called.set()
        self.released.wait(30)
        raise Unreachable("no reply")


@pytest.mark.parametrize("action", ["Create", "Delete"])
def test_a_put_to_another_table_does_not_wait_for_a_silent_peer(action: str) -> None:
    world = World()
    world.create()
    world.default.call(
        "CreateTable",
        {
            "TableName": "other",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    if action == "Delete":
        world.join(EU)
    silent = Silent()
    links_of(world.default.state).peer = lambda region: silent
    update = threading.Thread(
        target=world.update, args=(US,), kwargs={"ReplicaUpdates": [{action: {"RegionName": EU}}]}
    )
    update.start()
    try:
        assert silent.called.wait(10)
        began = time.monotonic()
        world.default.call("PutItem", {"TableName": "other", "Item": {"id": {"S": "1"}}})
        assert time.monotonic() - began < 5
        assert update.is_alive()
    finally:
        silent.released.set()
        update.join()
        world.close()


def test_a_caller_without_permission_makes_a_region_ask_no_other() -> None:
    world = World()
    world.create()
    silent = Silent()
    silent.released.set()
    links_of(world.default.state).peer = lambda region: silent
    update = {"TableName": "music", "ReplicaUpdates": [{"Create": {"RegionName": EU}}]}
    with pytest.raises(AccessDenied):
        world.default.call("UpdateTable", update, by=Authorization(Caller(Principal("user", "ada"))))
    assert not silent.called.is_set()
    world.close()
