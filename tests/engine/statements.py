"""Case files of PartiQL: statements run from top to bottom against one database, each with its reply.

    put music {"artist": "a"}                      an item, in plain notation (see tests.dynamodb.expressions.plain)
    SELECT * FROM music -> [{"artist": "a"}]       a statement, and the items it gives
    SELECT * FROM music WHERE artist = ? <- ["a"] -> [...]        the same with parameters
    batch ["...", "..."] -> [...]                  the statements of a batch, and the reply to each
    transaction ["...", "..."] -> [...]            the statements of a transaction

An error is `! Code: message`.
"""

from typing import Any

import orjson

from tablewright.engine.database import Database
from tests.dynamodb.expressions.plain import attribute, item, plain_item
from tests.golden import CASES

ARROW = " ->"
GIVEN = " <- "


def _table(name: str, *key: str, indexes: dict[str, dict[str, Any]] | None = None) -> dict[str, Any]:
    """Create a table. Attributes whose name ends with `#` are numbers, the others strings."""
    indexes = indexes or {}
    attributes = {*key, *(attribute for index in indexes.values() for attribute in index["keys"])}
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": each, "AttributeType": "N" if each.endswith("#") else "S"}
            for each in sorted(attributes)
        ],
        "KeySchema": _key_schema(key),
    }
    for index_name, index in indexes.items():
        request.setdefault(f"{index['kind']}SecondaryIndexes", []).append(
            {
                "IndexName": index_name,
                "KeySchema": _key_schema(index["keys"], hashes=index.get("hashes", 1)),
                "Projection": index["projection"],
            }
        )
    return request


def _key_schema(names: tuple[str, ...], hashes: int = 1) -> list[dict[str, str]]:
    return [
        {"AttributeName": name, "KeyType": "HASH" if number < hashes else "RANGE"}
        for number, name in enumerate(names)
    ]


_ALL = {"ProjectionType": "ALL"}
_KEYS = {"ProjectionType": "KEYS_ONLY"}
_INCLUDE = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["kept"]}

TABLES = (
    _table("hash", "pk"),
    _table("numbers", "n#"),
    _table("pairs", "pk", "sk"),
    _table("timed", "pk", "at#"),
    _table(
        "indexed",
        "pk",
        "sk",
        indexes={
            "by-g": {"kind": "Global", "keys": ("g",), "projection": _ALL},
            "by-g2-keys": {"kind": "Global", "keys": ("g2",), "projection": _KEYS},
            "by-g2-kept": {"kind": "Global", "keys": ("g2",), "projection": _INCLUDE},
            "by-two": {"kind": "Global", "keys": ("h1", "h2", "r1"), "hashes": 2, "projection": _ALL},
            "by-l": {"kind": "Local", "keys": ("pk", "l"), "projection": _ALL},
            "by-l-keys": {"kind": "Local", "keys": ("pk", "l"), "projection": _KEYS},
        },
    ),
)
"""Tables for every kind of key and index."""


def play(name: str, database: Database, *, update: bool) -> None:
    """Run a file and compare the replies, or write them into the file."""
    path = CASES / "partiql" / name
    lines = path.read_text(encoding="utf-8").splitlines()
    played = [_played(database, line) for line in lines]
    if update:
        path.write_text("\n".join(played) + "\n", encoding="utf-8")
        return
    wrong = [
        f"{name}:{number}: {now}"
        for number, (now, line) in enumerate(zip(played, lines, strict=True), 1)
        if now != line
    ]
    assert not wrong, "current replies:\n" + "\n".join(wrong)


def _played(database: Database, line: str) -> str:
    word, _, rest = line.partition(" ")
    if not line or word == "#":
        return line
    if word == "put":
        table, _, plain = rest.partition(" ")
        database.call("PutItem", {"TableName": table, "Item": item(orjson.loads(plain))})
        return line
    question = line.split(ARROW)[0]
    return f"{question}{ARROW} {reply_to(database, question)}".rstrip()


def reply_to(database: Database, question: str) -> str:
    """The reply to a line of a case file."""
    word, _, rest = question.partition(" ")
    if word == "batch":
        request = {"Statements": [_request(each) for each in orjson.loads(rest)]}
        return _reply(database, "BatchExecuteStatement", request)
    if word == "transaction":
        request = {"TransactStatements": [_request(each) for each in orjson.loads(rest)]}
        return _reply(database, "ExecuteTransaction", request)
    return _reply(database, "ExecuteStatement", _request(question))


def _request(question: str) -> dict[str, Any]:
    statement, _, given = question.partition(GIVEN)
    request: dict[str, Any] = {"Statement": statement}
    if given:
        request["Parameters"] = [attribute(plain) for plain in orjson.loads(given)]
    return request


def _reply(database: Database, operation: str, request: dict[str, Any]) -> str:
    status, body = database.call_json(operation, orjson.dumps(request))
    reply = orjson.loads(body)
    if status != 200:
        return _refusal(reply)
    if "Items" in reply:
        return f"[{', '.join(map(plain_item, reply['Items']))}]"
    return f"[{', '.join(map(_response, reply['Responses']))}]"


def _refusal(reply: dict[str, Any]) -> str:
    code = reply["__type"].partition("#")[2]
    words = reply.get("message") or reply.get("Message")
    reasons = [
        f"{reason['Code']}: {reason['Message']}" if "Message" in reason else reason["Code"]
        for reason in reply.get("CancellationReasons", ())
    ]
    return f"! {code}: {reasons or words}"


def _response(response: dict[str, Any]) -> str:
    table = f"{response['TableName']} " if "TableName" in response else ""
    if "Error" in response:
        return f"{table}! {response['Error']['Code']}: {response['Error']['Message']}"
    return f"{table}{plain_item(response['Item']) if 'Item' in response else '-'}"
