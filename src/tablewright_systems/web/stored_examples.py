"""Examples from the store: on a development machine, the API page is filled in with IDs that exist.

A generated example such as `ada-5f0c2d1e` fits its schema, and no board has this ID. `offer_examples` looks for items
that have all path parameters of a GET operation, and sends the request as a sample person. What succeeds becomes the
example of the parameters: sent unchanged, it succeeds again.

Operations that change data get no such examples: the only way to know that a change succeeds is to make it.
"""

import asyncio
import logging
import re
import threading
from collections.abc import Callable, Iterator
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
"""Requests that are sent for one operation."""


def offer_examples(app: FastAPI, issue_token: Callable[[], str]) -> None:
    """Add examples from the store to the OpenAPI document when it is first read.

    `issue_token` returns a token of the sample person whose requests succeed.
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
                    pool.submit(_add_examples, app, document, issue_token()).result()
            return document

    app.openapi = openapi  # type: ignore[method-assign]


def _add_examples(app: FastAPI, document: Document, token: str) -> None:
    items = list(_stored_texts(app.state.db))
    thread = threading.get_ident()

    def is_of_a_client(record: logging.LogRecord) -> bool:
        return record.thread != thread

    log.addFilter(is_of_a_client)  # an ID that does not fit is no error
    try:
        _add_to_paths(app, document, items, token)
    finally:
        log.removeFilter(is_of_a_client)


def _add_to_paths(app: FastAPI, document: Document, items: list[dict[str, str]], token: str) -> None:
    for path, methods in document["paths"].items():
        operation = methods.get("get")
        if operation is not None and "{" in path and _replies_with_an_object(operation):
            found = _values_that_succeed(app, document, path, operation, items, token)
            for parameter in operation["parameters"]:
                if parameter["name"] in found:
                    parameter["example"] = found[parameter["name"]]


def _replies_with_an_object(operation: Document) -> bool:
    """Return whether an operation replies with JSON only: a download of a file is recorded, and not tried."""
    return [*operation["responses"]["200"].get("content", ())] == ["application/json"]


def _values_that_succeed(
    app: FastAPI,
    document: Document,
    path: str,
    operation: Document,
    items: list[dict[str, str]],
    token: str,
) -> dict[str, str]:
    required = [each for each in operation["parameters"] if each.get("required")]
    names = re.findall(r"{(\w+)}", path)
    distinct = {
        tuple(item[name] for name in names): item
        for item in items
        if all(_is_id(item.get(name, "#")) for name in names)
    }
    for item in islice(distinct.values(), MAX_TRIES):
        values = {
            each["name"]: item.get(each["name"]) or example_of(document, each["schema"], each["name"])
            for each in required
        }
        if _status(app, path, values, token) == 200:
            return values
    return {}


def _is_id(text: str) -> bool:
    """Return whether a text can be an ID: the keys of some items are composed of several."""
    return "#" not in text


def _stored_texts(db: Repository) -> Iterator[dict[str, str]]:
    """Return the texts of stored items by the names of their attributes."""
    for table in db.design.tables:
        request = {"TableName": db.context.table_name(table), "Limit": MAX_ITEMS}
        for item in db.connection.call("Scan", request)["Items"]:
            yield {name: value["S"] for name, value in item.items() if "S" in value}


def _status(app: FastAPI, path: str, values: dict[str, str], token: str) -> int:
    """Send a GET request to the application itself, and return the status of its reply."""
    raw = re.sub(r"{(\w+)}", lambda found: quote(str(values[found[1]]), safe=""), path)
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
