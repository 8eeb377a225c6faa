"""No secret of the five systems is in a reply, an event, an export or the log of the console.

Secrets are the values of `Encrypted` and `Hashed` fields, as they were given and as they are stored, and the encryption
keys. A stored hash that is part of a key is shown in that key; docs/how-to/console.md says so.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tablewright_systems.registry import SYSTEMS

from tablewright.console.application import VIEWS, routes_of
from tablewright.console.changes.staged_edits import read_entity
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import identify, secret_attributes
from tablewright.dynamodb.values.attributes import Item, base64_text
from tablewright.errors import TablewrightError
from tests.console.sample_console import ConsoleClient, open_system

SHORTEST = 8
"""Shorter values occur in replies for other reasons."""
MOST_ITEMS = 3
"""Items of each table that are opened."""
OF_THE_DESIGN = ("/heat", "/cost", "/health/check")
"""Endpoints that take long, and read no items."""
WITH_SECRETS = [
    system.name for system in SYSTEMS if any(entity.layout.secrets for entity in system.design.entities)
]


@pytest.mark.parametrize("name", WITH_SECRETS)
def test_no_reply_and_no_log_has_a_secret(name: str, caplog: pytest.LogCaptureFixture) -> None:
    opened = open_system(name, samples=1)
    secrets = set(_secrets(opened))
    assert len(secrets) >= 3
    replies = list(_replies(ConsoleClient(opened)))
    opened.close()
    assert len(replies) > 50
    for place, text in [*replies, ("log", "\n".join(re.sub(r"HTTP Request.*", "", caplog.text).split()))]:
        assert not [secret for secret in secrets if secret in text], place


def test_the_systems_have_secrets() -> None:
    assert WITH_SECRETS


def _secrets(opened: OpenDesign) -> Iterator[str]:
    """The secrets of all items, but for those that a key of their own table is made of."""
    for name, table in opened.tables.items():
        hidden = secret_attributes(opened, table) - set(table.key_attributes)
        for item in _items(opened, name):
            for attribute in hidden & item.keys():
                yield from _texts(item[attribute])
            layout = identify(opened, table, item).layout
            if layout is not None and layout.secrets:
                yield from _given(opened, layout, item)


def _given(opened: OpenDesign, layout: Any, item: Item) -> Iterator[str]:
    """The secrets of an entity as they were given; a hash cannot be read back."""
    try:
        entity = read_entity(opened, layout, item)
    except TablewrightError:
        return
    for name in layout.secrets:
        text = str(getattr(entity, name))
        if layout.fields[name].stored not in layout.table.key_attributes and len(text) >= SHORTEST:
            yield text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | set):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str | bytes) and len(value) >= SHORTEST:
        yield value if isinstance(value, str) else base64_text(value)


def _items(opened: OpenDesign, name: str) -> list[Item]:
    items: list[Item] = opened.db.connection.call("Scan", {"TableName": name})["Items"]
    return items


def _replies(console: ConsoleClient) -> Iterator[tuple[str, str]]:
    """Call every endpoint that reads, with everything that the design has."""
    opened = console.opened

    def send(method: str, path: str, body: Any = None, **parameters: Any) -> tuple[str, str]:
        reply = console.http.request(method, console.prefix + path, json=body, params=parameters)
        assert reply.status_code < 500, (path, body)
        return f"{path} {body or parameters}", reply.text

    for view in VIEWS:
        for route in routes_of(view):
            if route.method == "GET" and "{" not in route.path and route.path not in OF_THE_DESIGN:
                yield send("GET", route.path, table=next(iter(opened.tables)), operation="Scan")
    for entity in opened.design.entities:
        yield send("GET", "/edit/form", entity=entity.__name__)
    for pattern in opened.design.patterns:
        path = f"/patterns/{pattern.__name__}"
        yield send("GET", path)
        example = send("GET", f"{path}/example")
        yield example
        given = {"parameters": json.loads(example[1]).get("parameters") or {}}
        yield from (send("POST", f"{path}/{action}", given) for action in ("explain", "run"))
    for name in opened.tables:
        yield from _table_replies(send, opened, name)
    started = json.loads(send("POST", "/health/fsck/start", {})[1])
    opened.tasks.wait(started["run"])
    yield send("GET", "/health/fsck", limit=1000)
    yield send("GET", f"/tasks/{started['run']}")


def _table_replies(send: Any, opened: OpenDesign, name: str) -> Iterator[tuple[str, str]]:
    table = opened.table(name)
    if not secret_attributes(opened, table):
        yield send("POST", "/query/run", {"operation": "Scan", "request": {"TableName": name}})
        return
    for index in (None, *(index.name for index in table.indexes)):
        yield send("POST", "/items/read", {"table": name, "index": index})
        yield send("POST", "/items/partitions", {"table": name, "index": index})
        query = {
            "operation": "Scan",
            "request": {"TableName": name} | ({"IndexName": index} if index else {}),
        }
        yield send("POST", "/query/run", query)
        yield from (send("POST", "/query/export", query | {"format": each}) for each in ("csv", "dynamodb"))
    statement = {"operation": "ExecuteStatement", "request": {"Statement": f'SELECT * FROM "{name}"'}}
    yield send("POST", "/query/run", statement)
    yield send("POST", "/query/export", statement | {"format": "jsonl"})
    yield send("POST", "/query/bulk/count", statement)
    yield from (send("GET", path, table=name) for path in ("/overview/sample", "/expiry"))
    yield send("GET", f"/streams/{name}/records", start="oldest")
    yield send("GET", f"/time/{name}/changes")
    for item in _items(opened, name)[:MOST_ITEMS]:
        key = json.loads(json.dumps({part: item[part] for part in table.key}, default=base64_text))
        yield send("GET", "/items/one", table=name, key=json.dumps(key))
        found = send("GET", "/edit/item", table=name, key=json.dumps(key))
        yield found
        edit = {"kind": "delete", "table": name, "key": key}
        edit["fingerprint"] = json.loads(found[1]).get("fingerprint")
        yield send("POST", "/edit/preview", {"edits": [edit]})
