"""The JSON of requests and replies: the same as botocore's, or left to botocore."""

import enum
import json
import random
import string
import uuid
from decimal import Decimal
from functools import cache
from typing import Any

import botocore.session
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import ReadOnlyCredentials
from botocore.parsers import create_parser
from botocore.serialize import create_serializer

from tablewright.connections.wire_requests import CONTENT_TYPE, Signer, UnusualRequest, WireOperation
from tablewright.dynamodb.values.capacity import DATA_OPERATIONS
from tests.connections.random_requests import random_attributes, random_request


@cache
def operation(name: str) -> WireOperation:
    return WireOperation(_service().operation_model(name))


@cache
def _service() -> Any:
    return botocore.session.get_session().get_service_model("dynamodb")


def by_botocore(name: str, request: dict[str, Any]) -> Any:
    return json.loads(
        create_serializer("json", False).serialize_to_request(request, operation(name).model)["body"]
    )


def parsed_by_botocore(name: str, body: bytes) -> Any:
    response = {"headers": {}, "status_code": 200, "body": body}
    parsed = create_parser("json").parse(response, operation(name).model.output_shape)
    parsed.pop("ResponseMetadata")
    return parsed


def test_all_data_operations_are_known() -> None:
    assert [operation(name).target for name in DATA_OPERATIONS] == [
        f"DynamoDB_20120810.{n}" for n in DATA_OPERATIONS
    ]


def test_a_request_is_encoded_as_by_botocore_or_left_to_it() -> None:
    source, encoded = random.Random(7), set()
    for _ in range(1500):
        name, request = random_request(source)
        try:
            body = operation(name).encode(request)
        except UnusualRequest:
            continue
        sent = json.loads(body)
        if "ClientRequestToken" in sent:
            uuid.UUID(sent.pop("ClientRequestToken"))
        assert sent == by_botocore(name, request)
        encoded.add(name)
    assert encoded == set(DATA_OPERATIONS)


class Colour(enum.Enum):
    RED = "red"


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "item",
    [
        {"a": {"S": b"bytes"}},
        {"a": {"S": uuid.UUID(int=5)}},
        {"a": {"S": Colour.RED}},
        {"a": {"S": Text("subclass")}},
        {"a": {"S": None}},
        {"a": {"S": "\ud800"}},
        {"a": {"N": 5}},
        {"a": {"N": Decimal(5)}},
        {"a": {"B": "text"}},
        {"a": {"BS": ["text"]}},
        {"a": {"SS": {"a"}}},
        {"a": {"L": ({"S": "x"},)}},
        {"a": {"L": [{"S": 1}]}},
        {"a": {"M": {"b": {"N": 1.5}}}},
        {"a": {"BOOL": 1}},
        {"a": {"X": "unknown"}},
        {"a": {"S": "two", "N": "2"}},
        {"a": {}},
        {"a": "plain"},
        {1: {"S": "x"}},
        [],
        None,
    ],
    ids=repr,
)
def test_an_unusual_item_is_left_to_boto3(item: Any) -> None:
    with pytest.raises(UnusualRequest):
        operation("PutItem").encode({"TableName": "t", "Item": item})


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("PutItem", {"TableName": "t", "Item": {}, "Unknown": 1}),
        ("GetItem", {"TableName": "arn:aws:dynamodb:us-east-1:123456789012:table/t", "Key": {}}),
        ("GetItem", {"TableName": None, "Key": {}}),
        ("Query", {"TableName": "t", "Limit": True}),
        ("Query", {"TableName": "t", "ConsistentRead": "yes"}),
        ("BatchGetItem", {"RequestItems": {"arn:aws:dynamodb:us-east-1:123456789012:table/t": {"Keys": []}}}),
        ("BatchGetItem", {"RequestItems": {"t": {"Keys": [], "Unknown": 1}}}),
        ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": "t", "Item": {}, "Unknown": 1}}]}),
        ("TransactWriteItems", {"TransactItems": ({"Put": {"TableName": "t", "Item": {}}},)}),
        ("ExecuteStatement", {"Statement": "SELECT", "Parameters": [{"S": 1}]}),
    ],
)
def test_an_unusual_request_is_left_to_boto3(name: str, request_: dict[str, Any]) -> None:
    with pytest.raises(UnusualRequest):
        operation(name).encode(request_)


def test_a_request_of_the_caller_is_not_changed() -> None:
    request = {"TransactItems": [{"Put": {"TableName": "t", "Item": {"a": {"B": b"x"}}}}]}
    body = json.loads(operation("TransactWriteItems").encode(request))
    assert request == {"TransactItems": [{"Put": {"TableName": "t", "Item": {"a": {"B": b"x"}}}}]}
    assert body["TransactItems"][0]["Put"]["Item"] == {"a": {"B": "eA=="}}
    again = json.loads(operation("TransactWriteItems").encode(request))
    assert again["ClientRequestToken"] != body["ClientRequestToken"]
    own = json.loads(operation("TransactWriteItems").encode({**request, "ClientRequestToken": "mine"}))
    assert own["ClientRequestToken"] == "mine"


def test_items_are_decoded_as_by_botocore() -> None:
    source = random.Random(3)
    for _ in range(300):
        request = {"TableName": "t", "Item": random_attributes(source)}
        item = json.loads(operation("PutItem").encode(request))["Item"]
        for name, reply in (
            ("GetItem", {"Item": item}),
            ("Query", {"Items": [item, item], "Count": 2, "ScannedCount": 2, "LastEvaluatedKey": item}),
            ("BatchWriteItem", {"UnprocessedItems": {"B": [{"PutRequest": {"Item": item}}], "BS": []}}),
            ("TransactGetItems", {"Responses": [{"Item": item}, {}]}),
        ):
            body = json.dumps(reply).encode()
            decoded = operation(name).decode(body)
            if decoded is not None:  # an item that may have a null
                assert decoded == parsed_by_botocore(name, body)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("PutItem", b"{}"),
        ("PutItem", b'{"Unknown":1,"ConsumedCapacity":{"TableName":"t","CapacityUnits":1,"New":2}}'),
        ("GetItem", b'{"Item": {"B": {"B" : "AA=="}, "x": {"\\u0042": "AA=="}, "n": {"NULL": true}}}'),
        ("Query", b'{"Items":[],"Count":0,"ScannedCount":0}'),
        ("Query", b'{"Items":[{"a":{"L":[{"BS":["AA=="]},{"M":{"B":{"S":"B"}}}]}}],"Count":1}'),
        (
            "DeleteItem",
            b'{"ItemCollectionMetrics":{"ItemCollectionKey":{"a":{"B":"AA=="}},"SizeEstimateRangeGB":[0,1]}}',
        ),
    ],
)
def test_a_reply_has_the_values_and_types_of_botocore(name: str, body: bytes) -> None:
    decoded = operation(name).decode(body)
    assert decoded == parsed_by_botocore(name, body)


def test_consumed_capacity_is_a_float() -> None:
    decoded = operation("PutItem").decode(b'{"ConsumedCapacity":{"TableName":"t","CapacityUnits":1}}')
    assert decoded is not None
    assert type(decoded["ConsumedCapacity"]["CapacityUnits"]) is float


@pytest.mark.parametrize(
    "body",
    [
        b'{"UnprocessedItems":null}',
        b'{"UnprocessedItems":{"t": null }}',
        b'{"UnprocessedItems":5}',
        b'{"ConsumedCapacity":[5]}',
        b"[]",
        b"5",
        b"{",
        b'{"a":"B"}x',
    ],
)
def test_an_unusual_reply_is_left_to_botocore(body: bytes) -> None:
    assert operation("BatchWriteItem").decode(body) is None


def test_text_that_reads_like_null_is_decoded() -> None:
    body = b'{"Item":{"a":{"S":"null"},"null":{"S":"nullify"}}}'
    assert operation("GetItem").decode(body) == {"Item": {"a": {"S": "null"}, "null": {"S": "nullify"}}}


TEXT = string.ascii_letters + string.digits + "+/="
REGIONS = ("us-east-1", "eu-north-1", "us-gov-west-1", "localhost")
HOSTS = ("dynamodb.us-east-1.amazonaws.com", "127.0.0.1:8000", "123456789012.ddb.eu-north-1.amazonaws.com")


class FixedTime(SigV4Auth):  # type: ignore[misc]
    """botocore's signature of a request at a given time."""

    def add_auth(self, request: Any) -> None:
        self._modify_request_before_signing(request)
        text = self.string_to_sign(request, self.canonical_request(request))
        self._inject_signature_to_request(request, self.signature(text, request))


def botocores_signature(
    credentials: ReadOnlyCredentials, region: str, host: str, target: str, timestamp: str, body: bytes
) -> str:
    request = AWSRequest("POST", f"https://{host}/", data=body)
    request.headers["X-Amz-Target"] = target
    request.headers["Content-Type"] = CONTENT_TYPE
    request.context["timestamp"] = timestamp
    FixedTime(credentials, "dynamodb", region).add_auth(request)
    return str(request.headers["Authorization"])


def test_signatures_are_those_of_botocore() -> None:
    source = random.Random(4)

    def text(length: int) -> str:
        return "".join(source.choices(TEXT, k=length))

    for _ in range(60):
        token = source.choice([None, text(300)])
        credentials = ReadOnlyCredentials(text(20), text(40), token, None)
        region, host = source.choice(REGIONS), source.choice(HOSTS)
        signer = Signer(credentials.access_key, credentials.secret_key, token, region, "dynamodb", host, "/")
        for _ in range(40):
            day, time = source.randrange(20200101, 20200129), source.randrange(100000, 240000)
            timestamp = f"{day}T{time}Z"
            body = source.randbytes(source.randrange(200))
            target = f"DynamoDB_20120810.{text(8)}"
            expected = botocores_signature(credentials, region, host, target, timestamp, body)
            assert signer.authorization(target, timestamp, body) == expected


@pytest.mark.parametrize("changed", ["target", "timestamp", "body", "secret", "token", "host", "path"])
def test_every_part_of_a_request_is_signed(changed: str) -> None:
    def signature(**change: Any) -> str:
        parts: dict[str, Any] = {
            "secret": "s",
            "token": "t",
            "host": "h",
            "path": "/",
            "target": "x",
            "body": b"{}",
        }
        parts |= {"timestamp": "20260101T000000Z"} | change
        signer = Signer("k", parts["secret"], parts["token"], "r", "dynamodb", parts["host"], parts["path"])
        return signer.authorization(parts["target"], parts["timestamp"], parts["body"]).rpartition("=")[2]

    values = {"body": b"{ }", "timestamp": "20260101T000001Z"}
    assert signature(**{changed: values.get(changed, "/other")}) != signature()
