"""Any invalid request about tables is a service error, never an internal error."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import InternalFailure
from tests.engine.table_cases import index_of, outcome_of, request_of
from tests.example_counts import examples

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/music"
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
INDEX = {
    **index_of("by-year", "year", "artist", "INCLUDE=mood,bpm"),
    "ProvisionedThroughput": UNITS,
    "OnDemandThroughput": {"MaxReadRequestUnits": 5},
    "WarmThroughput": {"ReadUnitsPerSecond": 13_000},
}
SETTINGS = {
    "BillingMode": "PAY_PER_REQUEST",
    "ProvisionedThroughput": UNITS,
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    "SSESpecification": {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "key"},
    "TableClass": "STANDARD",
    "OnDemandThroughput": {"MaxReadRequestUnits": 5},
    "WarmThroughput": {"ReadUnitsPerSecond": 13_000},
}
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    (
        "CreateTable",
        {
            **request_of("other", "artist song | artist:S song:S year:N + lsi by-song artist song"),
            **SETTINGS,
            "GlobalSecondaryIndexes": [INDEX],
            "Tags": [{"Key": "team", "Value": "blue"}],
        },
    ),
    *(("UpdateTable", {"TableName": "music", name: value}) for name, value in SETTINGS.items()),
    *(
        (
            "UpdateTable",
            {
                "TableName": "music",
                "AttributeDefinitions": [{"AttributeName": "year", "AttributeType": "N"}],
                "GlobalSecondaryIndexUpdates": [{action: INDEX}],
            },
        )
        for action in ("Create", "Update", "Delete")
    ),
    ("DescribeTable", {"TableName": "music"}),
    ("DeleteTable", {"TableName": "music"}),
    ("ListTables", {"Limit": 3, "ExclusiveStartTableName": "abc"}),
    (
        "UpdateTimeToLive",
        {"TableName": "music", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ends"}},
    ),
    ("TagResource", {"ResourceArn": ARN, "Tags": [{"Key": "team", "Value": "blue"}]}),
    ("UntagResource", {"ResourceArn": ARN, "TagKeys": ["team"]}),
    ("ListTagsOfResource", {"ResourceArn": ARN, "NextToken": "next"}),
]
ODDITIES: list[Any] = [
    None,
    [],
    {},
    "",
    "x",
    "arn:",
    ARN,
    0,
    -1,
    1.5,
    1e300,
    10**30,
    True,
    [None],
    [{}],
    {"a": 1},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place inside a request, as the steps that lead to it."""
    if path:
        yield path
    steps = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for step in steps:
        yield from places(value[step], (*path, step))


@st.composite
def hostile(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A valid request in which some values are replaced or removed."""
    operation, good = draw(st.sampled_from(REQUESTS))
    request = deepcopy(good)
    for _ in range(draw(st.integers(0, 3))):
        *way, last = draw(st.sampled_from([*places(request)] or [("TableName",)]))
        holder: Any = request
        for step in way:
            holder = holder[step]
        holder[last] = deepcopy(draw(st.sampled_from(ODDITIES)))
        if draw(st.booleans()):
            del holder[last]
    return operation, request


@examples(400)
@given(st.lists(hostile(), max_size=4))
def test_hostile_table_requests_cause_no_internal_error(requests: list[tuple[str, dict[str, Any]]]) -> None:
    db = Database(open_store())
    db.call("CreateTable", request_of("music", "artist | artist:S"))
    for operation, request in requests:
        reply = outcome_of(db, operation, request)
        assert not reply.startswith(InternalFailure.code), (operation, request)
    db.close()
