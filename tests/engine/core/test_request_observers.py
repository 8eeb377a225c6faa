"""Observers see each request with its capacity, and change nothing for the client."""

import pytest

from tablewright.engine.core.request_observers import ObservedRequest
from tablewright.engine.features.faults.injector import Faults
from tablewright.errors import ProvisionedThroughputExceeded, ResourceNotFound
from tests.engine.features.faults.faulty_table import database, get, put

KEY = {"TableName": "things", "Key": {"pk": {"S": "a"}}}


def test_an_observer_sees_requests_with_their_capacity() -> None:
    db = database()
    seen: list[ObservedRequest] = []
    end = db.observe(seen.append)
    put(db, "a")
    reply = db.call("GetItem", KEY)
    page = db.call("Query", QUERY)
    end()
    db.call("GetItem", KEY)
    assert "ConsumedCapacity" not in reply
    assert "ConsumedCapacity" not in page
    assert [(each.operation, each.returned, each.error) for each in seen] == [
        ("PutItem", 0, None),
        ("GetItem", 1, None),
        ("Query", 1, None),
    ]
    assert [each.capacity[0]["CapacityUnits"] for each in seen] == [2.0, 0.5, 0.5]
    assert seen[0].capacity[0]["GlobalSecondaryIndexes"]["by-group"]["CapacityUnits"] == 1.0
    assert seen[1].request == KEY


QUERY = {
    "TableName": "things",
    "IndexName": "by-group",
    "KeyConditionExpression": "#g = :g",
    "ExpressionAttributeNames": {"#g": "group"},
    "ExpressionAttributeValues": {":g": {"S": "g"}},
}


def test_a_client_that_requests_its_capacity_gets_what_it_requested() -> None:
    db = database()
    db.observe(lambda observed: None)
    reply = db.call("GetItem", KEY | {"ReturnConsumedCapacity": "TOTAL"})
    assert reply["ConsumedCapacity"] == {"TableName": "things", "CapacityUnits": 0.5}


def test_an_error_is_seen_with_its_code() -> None:
    db = database(Faults(throttling=1.0))
    seen: list[ObservedRequest] = []
    db.observe(seen.append)
    with pytest.raises(ProvisionedThroughputExceeded):
        get(db, "a")
    db.faults = None
    with pytest.raises(ResourceNotFound):
        db.call("GetItem", KEY | {"TableName": "absent"})
    assert [each.error for each in seen] == [
        "ProvisionedThroughputExceededException",
        "ResourceNotFoundException",
    ]


def test_an_observer_that_fails_affects_no_request(caplog: pytest.LogCaptureFixture) -> None:
    def fail(observed: ObservedRequest) -> None:
        raise RuntimeError("measurement failed")

    db = database()
    seen: list[ObservedRequest] = []
    end = db.observe(fail)
    db.observe(seen.append)
    put(db, "a")
    end()
    put(db, "b")
    assert "an observer of requests failed" in caplog.text
    assert [each.operation for each in seen] == ["PutItem", "PutItem"]


@pytest.mark.parametrize(
    "request_", [None, [], {"ReturnConsumedCapacity": 5}, {"ReturnConsumedCapacity": "X"}]
)
def test_invalid_requests_have_the_same_errors(request_: object) -> None:
    db = database()
    messages = []
    for _ in range(2):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the same error, whatever it is
            db.call("GetItem", request_)  # type: ignore[arg-type]
        messages.append((type(caught.value), str(caught.value)))
        db.observe(lambda observed: None)
    assert messages[0] == messages[1]
