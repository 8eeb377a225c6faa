"""Case files of the engine: requests run from top to bottom against one database, each with its reply.

    put orders {"pk": "a", "sk": 1}     an item, in plain notation (see tests.dynamodb.expressions.plain)
    given {"TableName": "orders"}       members that the requests below have in common
    Query {...} -> {...}                a request, and the reply
    Scan {...} -> ! words               a request, and its error message
    PutItem {...} -> ! words {...}      an error with more than a message
    wait 600                            that many seconds pass

Attribute values are written plainly in both, wherever DynamoDB has them.
"""

from typing import Any

import orjson

from tablewright.engine.database import Database
from tests.dynamodb.expressions.plain import attribute, item, plain_item
from tests.golden import CASES

ARROW = " -> "
_ITEMS = frozenset(
    "Attributes ExclusiveStartKey ExpressionAttributeValues Item ItemCollectionKey Key LastEvaluatedKey".split()
)
_LISTS = frozenset({"Items", "Keys"})


def play(name: str, database: Database, *, update: bool) -> None:
    """Run a file and compare the replies, or write them into the file."""
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
        elif word == "wait":
            database.clock.advance(float(rest))
            played.append(line)
        else:
            request = rest.split(ARROW)[0]
            reply = ask(database, word, {**given, **orjson.loads(request)})
            played.append(f"{word} {request}{ARROW}{reply}")
    if update:
        path.write_text("\n".join(played) + "\n", encoding="utf-8")
        return
    wrong = [
        f"{name}:{number}: {now}"
        for number, (now, line) in enumerate(zip(played, lines, strict=True), 1)
        if now != line
    ]
    assert not wrong, "current replies:\n" + "\n".join(wrong)


def ask(database: Database, operation: str, request: dict[str, Any]) -> str:
    """The reply to a request, both in plain notation."""
    status, body = database.call_json(operation, orjson.dumps(_wired(request)))
    reply = orjson.loads(body)
    if status == 200:
        return plain_reply(reply)
    more = {name: reply[name] for name in ("Item", "CancellationReasons") if name in reply}
    words = f"! {reply.get('message') or reply.get('Message')}"
    return f"{words} {plain_reply(more)}" if more else words


def _wired(request: Any) -> Any:
    """A part of a request, its plain values as DynamoDB writes them."""
    if isinstance(request, list):
        return [_wired(part) for part in request]
    if not isinstance(request, dict):
        return request
    wired: dict[str, Any] = {}
    for name, member in request.items():
        if name in _ITEMS:
            wired[name] = item(member)
        elif name in _LISTS:
            wired[name] = [item(each) for each in member]
        elif name == "Value":
            wired[name] = attribute(member)
        elif name == "AttributeValueList":
            wired[name] = [attribute(value) for value in member]
        else:
            wired[name] = _wired(member)
    return wired


def plain_reply(reply: Any, *, of_items: bool = False) -> str:
    """A part of a reply, its items in plain notation; a batch's responses are lists of items by table."""
    if isinstance(reply, list):
        shown = [plain_item(part) if of_items else plain_reply(part) for part in reply]
        return f"[{', '.join(shown)}]"
    if not isinstance(reply, dict):
        return orjson.dumps(reply).decode()
    members = []
    for name, member in reply.items():
        if name in _ITEMS:
            shown_member = plain_item(member)
        else:
            in_batch = name == "Responses" and isinstance(member, dict)
            shown_member = plain_reply(member, of_items=of_items or in_batch or name in _LISTS)
        members.append(f'"{name}": {shown_member}')
    return "{" + ", ".join(members) + "}"
