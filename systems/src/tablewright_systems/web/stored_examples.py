"""Examples from the store: on a development machine, the API page is filled in with values that exist.

A generated example such as `ada-5f0c2d1e` fits its schema, and no board has this ID. `offer_examples` looks for items
that have the required parameters of a GET operation, and sends the request as the sample people. What succeeds becomes
the example of the parameters: sent unchanged, it succeeds again.

The only way to know that a change succeeds is to make it. So an operation that changes data gets the IDs of the GET
operation on its path, or on the longest beginning of its path: they exist, and one of the sample people can read them.
"""

import asyncio
import logging
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any
from urllib.parse import quote, unquote, urlencode

from fastapi import FastAPI
from starlette.types import Message

from tablewright import Repository
from tablewright_systems.web.error_replies import log
from tablewright_systems.web.openapi_examples import example_of

Document = dict[str, Any]

MAX_ITEMS = 300
"""Items of a table that are searched for examples."""
MAX_TRIES = 12
"""Requests that are sent for one operation as the first person; as the others, a quarter of them."""


def offer_examples(app: FastAPI, issue_tokens: Callable[[], Sequence[str]]) -> None:
    """Add examples from the store to the OpenAPI document when it is first read.

    `issue_tokens` returns tokens of the sample people, beginning with the one whose requests succeed most often.
    """
    generate = app.openapi
    lock = threading.Lock()
    is_complete = False

    def openapi() -> Document:
        nonlocal is_complete
        with lock:
            document = generate()
            if not is_complete:
                is_complete = True
                with ThreadPoolExecutor(1) as pool:  # the caller can be inside of an event loop
                    pool.submit(_add_examples, app, document, issue_tokens()).result()
            return document

    app.openapi = openapi  # type: ignore[method-assign]


def _add_examples(app: FastAPI, document: Document, tokens: Sequence[str]) -> None:
    items = list(_stored_texts(app.state.db))
    thread = threading.get_ident()

    def is_of_a_client(record: logging.LogRecord) -> bool:
        return record.thread != thread

    log.addFilter(is_of_a_client)  # an ID that does not fit is no error
    try:
        _add_to_paths(app, document, items, tokens)
    finally:
        log.removeFilter(is_of_a_client)


def _add_to_paths(
    app: FastAPI, document: Document, items: list[dict[str, str]], tokens: Sequence[str]
) -> None:
    known: dict[str, dict[str, str]] = {}
    for path, methods in document["paths"].items():
        operation = methods.get("get")
        if operation is not None and _is_plain_read(operation):
            known[path] = _values_that_succeed(app, document, path, operation, items, tokens)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            values = known.get(path, {}) if method == "get" else _values_of_beginning(path, known)
            for parameter in operation.get("parameters", ()):
                if parameter["name"] in values and (method == "get" or parameter["in"] == "path"):
                    parameter["example"] = values[parameter["name"]]


def _values_of_beginning(path: str, known: dict[str, dict[str, str]]) -> dict[str, str]:
    """Return the values of the longest path with which a path begins.

    >>> _values_of_beginning("/boards/{boardId}/owner", {"/boards/{boardId}": {"boardId": "b1"}})
    {'boardId': 'b1'}
    """
    while path:
        if values := known.get(path):
            return values
        path = path.rpartition("/")[0]
    return {}


def _is_plain_read(operation: Document) -> bool:
    """Return whether an operation needs a token and replies with JSON only.

    A download of a file is recorded, and the callback of another service uses up what it is sent: neither is tried.
    """
    is_object = [*operation["responses"]["200"].get("content", ())] == ["application/json"]
    return is_object and bool(operation.get("security"))


def _values_that_succeed(
    app: FastAPI,
    document: Document,
    path: str,
    operation: Document,
    items: list[dict[str, str]],
    tokens: Sequence[str],
) -> dict[str, str]:
    required = [parameter for parameter in operation.get("parameters", ()) if parameter.get("required")]
    if not required:
        return {}
    stored = set().union(*items)
    names = [
        parameter["name"]
        for parameter in required
        if parameter["in"] == "path" or _is_stored(parameter, stored)
    ]
    distinct = {
        tuple(item[name] for name in names): item
        for item in items
        if all(_is_id(item.get(name, "#")) for name in names)
    }
    for place, token in enumerate(tokens):
        for item in islice(distinct.values(), MAX_TRIES if place == 0 else MAX_TRIES // 4):
            values = {
                parameter["name"]: item[parameter["name"]]
                if parameter["name"] in names
                else example_of(document, parameter["schema"], parameter["name"])
                for parameter in required
            }
            if _status(app, path, values, token) == 200:
                return values
    return {}


def _is_stored(parameter: Document, stored: set[str]) -> bool:
    """Return whether the values of a query parameter are looked for in the store: those of an enumeration are known."""
    return parameter["name"] in stored and parameter["schema"].get("type") == "string"


def _is_id(text: str) -> bool:
    """Return whether a text can be an ID: the keys of some items are composed of several."""
    return "#" not in text


def _stored_texts(db: Repository) -> Iterator[dict[str, str]]:
    """Return the texts of stored items by the names of their attributes; the `id` of a Task also as `taskId`."""
    for table in db.design.tables:
        request = {"TableName": db.context.table_name(table), "Limit": MAX_ITEMS}
        for item in db.connection.call("Scan", request)["Items"]:
            texts = {name: value["S"] for name, value in item.items() if "S" in value}
            kind = texts.get("type", "")
            yield texts | ({f"{kind[:1].lower()}{kind[1:]}Id": texts["id"]} if "id" in texts else {})


def _status(app: FastAPI, path: str, values: dict[str, str], token: str) -> int:
    """Send a GET request to the application itself, and return the status of its reply."""
    raw = re.sub(r"{(\w+)}", lambda match: quote(str(values[match[1]]), safe=""), path)
    query = {name: value for name, value in values.items() if f"{{{name}}}" not in path}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(raw),
        "raw_path": raw.encode(),
        "query_string": urlencode(query).encode(),
        "headers": [(b"authorization", f"Bearer {token}".encode())],
        "client": ("127.0.0.1", 0),
        "server": ("127.0.0.1", 80),
    }
    statuses: list[int] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    asyncio.run(app(scope, receive, send))
    return statuses[0]
