"""Random requests built from botocore's model of the API, then damaged. Seeded, so that a failure can be repeated."""

import base64
import json
import random
from collections.abc import Callable
from typing import Any

import botocore.session
from botocore.model import ListShape, MapShape, OperationModel, Shape, StructureShape

HASH, RANGE = {"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}
TEXT, NUMBER = {"AttributeName": "p", "AttributeType": "S"}, {"AttributeName": "c", "AttributeType": "N"}
TABLES: dict[str, Any] = {
    "fuzz-plain": {"KeySchema": [HASH], "AttributeDefinitions": [TEXT]},
    "fuzz-ranged": {"KeySchema": [HASH, RANGE], "AttributeDefinitions": [TEXT, NUMBER]},
}
for _name, _schema in TABLES.items():
    _schema |= {"TableName": _name, "BillingMode": "PAY_PER_REQUEST"}
EXPRESSIONS = (
    "a = :v",
    "#n = :v AND p = :p",
    "SET a = :v",
    "SET a.b[3] = if_not_exists(c, :v) + :v REMOVE d",
    "ADD n :v DELETE s :v",
    "attribute_exists(p) OR size(a) > :v",
    "contains(a, :v) AND NOT (b IN (:v, :p))",
    "p = :p AND begins_with(c, :v)",
    "p, a.b, #n[0]",
    'SELECT * FROM "fuzz-plain" WHERE p = ?',
    "INSERT INTO \"fuzz-plain\" VALUE {'p': 'x', 'n': [1, {'a': ?}]}",
    "UPDATE \"fuzz-plain\" SET a = 1 WHERE p = 'x'",
    "((((((((((",
    "a = = :v",
    "\x00 'unterminated",
)
NASTY: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**31,
    2**70,
    1e308,
    -0.0,
    "",
    " ",
    "x" * 70_000,
    "\x00",
    "\ud800",
    "'\"`;--",
    "999999999999999999999999999999999999999999",
    "1e999",
    "NaN",
    [],
    [None],
    [[[[]]]],
    {},
    {"": {}},
    {"S": 1},
    {"N": "one"},
    {"M": {"a": {"L": [{"M": {}}]}}},
    {"S": "x", "N": "1"},
    {"B": "not base64!"},
    {"SS": []},
    {"NS": ["1", "1.0"]},
    {"Unknown": "x"},
)


class Fuzzer:
    """Makes requests that are nearly right."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        session = botocore.session.Session()
        self._models: list[tuple[str, OperationModel]] = []
        for service, api in (
            ("dynamodb", "DynamoDB_20120810"),
            ("dynamodbstreams", "DynamoDBStreams_20120810"),
        ):
            model = session.get_service_model(service)
            self._models += [(api, model.operation_model(name)) for name in model.operation_names]

    @property
    def operations(self) -> int:
        """How many operations the model knows."""
        return len(self._models)

    def request(self, number: int) -> tuple[str, bytes]:
        """A target and a body; operations take turns."""
        api, model = self._models[number % len(self._models)]
        request: Any = self._value(model.input_shape, "", 0) if model.input_shape else {}
        for _ in range(self._rng.choice((0, 1, 1, 2, 5))):
            request = self._spoil(request)
        body = json.dumps(request).encode()
        if self._rng.random() < 0.1:
            body = self._damage(body)
        return f"{api}.{model.name}", body

    def _value(self, shape: Shape, name: str, depth: int) -> Any:
        makers: dict[str, Callable[[Any, str, int], Any]] = {
            "structure": self._structure,
            "list": self._list,
            "map": self._map,
            "string": self._string,
        }
        if shape.type_name in makers:
            return makers[shape.type_name](shape, name, depth)
        if shape.type_name == "boolean":
            return self._rng.random() < 0.5
        if shape.type_name == "blob":
            return base64.b64encode(self._rng.randbytes(4)).decode()
        return self._rng.choice((1, 1, 2, 10, 1000))

    def _structure(self, shape: StructureShape, name: str, depth: int) -> dict[str, Any]:
        members = list(shape.members)
        if shape.name == "AttributeValue":
            chosen = [self._rng.choice(["S", "N"] if depth > 6 else members)]
        else:
            share = 0.4 if depth < 4 else 0.1
            required = set(shape.required_members)
            chosen = [member for member in members if member in required or self._rng.random() < share]
        return {each: self._value(shape.members[each], each, depth + 1) for each in chosen}

    def _list(self, shape: ListShape, name: str, depth: int) -> list[Any]:
        return [self._value(shape.member, name, depth + 1) for _ in range(self._rng.choice((1, 1, 2)))]

    def _map(self, shape: MapShape, name: str, depth: int) -> dict[str, Any]:
        names = {"ExpressionAttributeNames": ("#n",), "ExpressionAttributeValues": (":v", ":p")}
        keys = names.get(name) or (tuple(TABLES) if name == "RequestItems" else ("p", "c", "a", "n"))
        chosen = self._rng.sample(keys, self._rng.randint(1, len(keys)))
        return {key: self._value(shape.value, name, depth + 1) for key in chosen}

    def _string(self, shape: Shape, name: str, depth: int) -> str:
        if choices := shape.metadata.get("enum"):
            return str(self._rng.choice(choices))
        if name in ("TableName", "TableArn", "ResourceArn"):
            return self._rng.choice(tuple(TABLES))
        if name.endswith("Expression") or name == "Statement":
            return self._rng.choice(EXPRESSIONS)
        if name in ("N", "NS"):
            return self._rng.choice(("0", "1", "-1.5", "1e10", "9" * 38, "9" * 39, "x"))
        return self._rng.choice(
            ("p", "c", "a", "x", "arn:aws:dynamodb:us-east-1:000000000000:table/fuzz-plain")
        )

    def _spoil(self, value: Any) -> Any:
        """Return the value with one random part replaced by an invalid one."""
        if isinstance(value, dict) and value and self._rng.random() < 0.8:
            name = self._rng.choice(list(value))
            kept = {key: part for key, part in value.items() if key != name}
            if self._rng.random() < 0.2:
                return kept
            return kept | {name: self._spoil(value[name])}
        if isinstance(value, list) and value and self._rng.random() < 0.8:
            place = self._rng.randrange(len(value))
            return [*value[:place], self._spoil(value[place]), *value[place:]]
        return self._rng.choice(NASTY)

    def _damage(self, body: bytes) -> bytes:
        place = self._rng.randrange(len(body))
        return self._rng.choice(
            (
                body[:place],
                body[:place] + self._rng.randbytes(3) + body[place:],
                body[:place] + body[place + 1 :],
                body * 2,
                b"[" * self._rng.choice((10, 100_000)) + body,
            )
        )
