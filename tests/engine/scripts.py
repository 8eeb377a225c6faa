"""Case files of the engine: requests played from top to bottom against one database, each with its answer.

    put orders {"pk": "a", "sk": 1}     an item, in plain notation (see tests.expressions.plain)
    given {"TableName": "orders"}       members that the requests below have in common
    Query {...} -> {...}                a request, and the reply
    Scan {...} -> ! words               a request, and the refusal

Attribute values are written plainly in both, wherever DynamoDB has them.
"""

from typing import Any

import orjson

from tablewright.engine.database import Database
from tablewright.errors import ServiceError
from tests.expressions.plain import attribute, item, plain_item
from tests.golden import CASES

ARROW = " -> "
_VALUES = ("ExpressionAttributeValues", "ExclusiveStartKey", "Key", "Item")
_CONDITIONS = ("KeyConditions", "QueryFilter", "ScanFilter")


def play(name: str, database: Database, *, update: bool) -> None:
    """Play a file and compare the answers, or write them into the file."""
    path = CASES / "engine" / name
    given: dict[str, Any] = {}
    played = []
    lines = path.read_text(encoding="utf-8").splitlines()
    for line in lines:
        word, _, rest = line.partition(" ")
        if not line or word == "#":
            played.append(line)
        elif word == "given":
            given = orjson.loads(rest)
            played.append(line)
        elif word == "put":
            table, _, plain = rest.partition(" ")
            database.call("PutItem", {"TableName": table, "Item": item(orjson.loads(plain))})
            played.append(line)
        else:
            request = rest.split(ARROW)[0]
            answer = ask(database, word, {**given, **orjson.loads(request)})
            played.append(f"{word} {request}{ARROW}{answer}")
    if update:
        path.write_text("\n".join(played) + "\n", encoding="utf-8")
        return
    wrong = [
        f"{name}:{number}: {now}"
        for number, (now, line) in enumerate(zip(played, lines, strict=True), 1)
        if now != line
    ]
    assert not wrong, "answered now:\n" + "\n".join(wrong)


def ask(database: Database, operation: str, request: dict[str, Any]) -> str:
    """The answer to a request in plain notation, in plain notation."""
    try:
        status, body = database.call_json(operation, orjson.dumps(_wired(request)))
    except ServiceError as refusal:
        return f"! {refusal.message}"
    reply = orjson.loads(body)
    if status != 200:
        return f"! {reply.get('message') or reply.get('Message')}"
    return plain_reply(reply)


def _wired(request: dict[str, Any]) -> dict[str, Any]:
    wired = {**request}
    for member in _VALUES:
        if member in request:
            wired[member] = item(request[member])
    for member in _CONDITIONS:
        if member in request:
            wired[member] = {
                name: {
                    **each,
                    "AttributeValueList": [attribute(value) for value in each["AttributeValueList"]],
                }
                for name, each in request[member].items()
            }
    return wired


def plain_reply(reply: dict[str, Any]) -> str:
    """A reply of a Query or Scan, its items in plain notation."""
    members = []
    for name, member in reply.items():
        if name == "Items":
            shown = f"[{', '.join(map(plain_item, member))}]"
        elif name == "LastEvaluatedKey":
            shown = plain_item(member)
        else:
            shown = orjson.dumps(member).decode().replace(":", ": ").replace(",", ", ")
        members.append(f'"{name}": {shown}')
    return "{" + ", ".join(members) + "}"
