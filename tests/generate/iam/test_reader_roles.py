"""Readers: the stream consumer, and people who only read."""

from tablewright.generate.iam.grants import Grants
from tablewright.generate.iam.reader_roles import grant_reader, grant_stream_consumer
from tests.generate.iam.role_server import arns
from tests.generate.iam.shop import design

TABLE = "arn:aws:dynamodb:eu-north-1:123456789012:table/"


def actions(grants: Grants) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in grants.statements():
        resources = each["Resource"]
        for resource in resources if isinstance(resources, list) else [resources]:
            found.setdefault(resource.removeprefix(TABLE), []).extend(each["Action"])
    return found


def test_a_stream_consumer_reads_streams_and_keeps_positions() -> None:
    grants = Grants()
    grant_stream_consumer(grants, design, arns())
    found = actions(grants)
    assert set(found) == {"shop/stream/*", "shop-positions", "shop-keys", "*"}
    assert found["*"] == ["dynamodb:ListStreams"]
    assert "dynamodb:PutItem" in found["shop-positions"]


def test_people_who_read_write_nothing_and_decrypt_nothing() -> None:
    grants = Grants()
    grant_reader(grants, design, arns())
    found = actions(grants)
    streams = {"shop/stream/*", "shop-keys/stream/*"}
    assert set(found) == {"shop", "shop/index/GSI1", "shop-keys", "*", *streams}
    assert {action for name in streams for action in found[name]} == {"dynamodb:GetResourcePolicy"}
    assert not [
        action for action in found["shop-keys"] if "Item" in action or "Query" in action or "Scan" in action
    ]
    assert "dynamodb:PartiQLSelect" not in found["shop-keys"]
    every = {action for each in found.values() for action in each}
    assert not [
        action for action in every if any(word in action for word in ("Put", "Update", "Delete", "Write"))
    ]
