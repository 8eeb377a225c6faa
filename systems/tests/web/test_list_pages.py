"""The lists of the five APIs, read page by page, have the same items as in one page."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.registry import find
from tablewright_systems.service import Caller
from tablewright_systems.web import LocalIssuer

from tablewright import Repository, connect, keyrings

ISSUER = LocalIssuer()

SORTED_LISTS = {
    "boards": ["/catalogue"],
    "student_hub": ["/progress", "/deadlines"],
    "listbackup": ["/sessions", "/accounts/{accountId}/children", "/invitations"],
    "collabhub": ["/conversations/{conversationId}/participants"],
}


class Reader:
    """The demo user of a system with sample data."""

    def __init__(self, name: str, db: Repository) -> None:
        system = find(name)
        assert system is not None
        system.fill(db, 3)
        self.client = TestClient(system.build(db, ISSUER))
        self.caller: Caller = next(iter(system.people.values()))
        self.db = db

    def get(self, path: str, **parameters: Any) -> Any:
        token = ISSUER.issue(self.caller.user_id, **self.caller.claims)
        headers = {"Authorization": f"Bearer {token}"}
        return self.client.get(path, params=parameters, headers=headers)

    def pages(self, path: str, limit: int) -> Iterator[list[Any]]:
        cursor: dict[str, str] = {}
        while True:
            page = self.get(path, limit=limit, **cursor).json()
            yield page["items"]
            if page["cursor"] is None:
                return
            cursor = {"cursor": page["cursor"]}


@pytest.fixture(params=SORTED_LISTS)
def reader(request: pytest.FixtureRequest) -> Iterator[Reader]:
    system = find(request.param)
    assert system is not None
    with connect(system.design, environment=system.environment, secrets=keyrings.MemoryKeys()) as db:
        yield Reader(request.param, db)


def paths_of(reader: Reader, path: str) -> list[str]:
    """Return the path for each account or conversation that the reader can see."""
    if "{accountId}" in path:
        result = reader.get("/memberships").json()["items"]
        return [path.format(accountId=item["accountId"]) for item in result]
    if "{conversationId}" in path:
        result = reader.get("/conversations").json()["items"]
        return [path.format(conversationId=item["conversationId"]) for item in result]
    return [path]


def test_sorted_lists_have_pages(reader: Reader, request: pytest.FixtureRequest) -> None:
    lengths = []
    for path in SORTED_LISTS[request.node.callspec.params["reader"]]:
        for one in paths_of(reader, path):
            (whole,) = reader.pages(one, 100)
            pages = list(reader.pages(one, 1))
            assert [item for page in pages for item in page] == whole, one
            assert all(len(page) <= 1 for page in pages)
            assert len({json.dumps(item) for item in whole}) == len(whole)
            lengths.append(len(whole))
    assert max(lengths) > 1, "a list of one item has no pages"


def test_cursor_of_another_list_is_rejected(reader: Reader, request: pytest.FixtureRequest) -> None:
    for path in SORTED_LISTS[request.node.callspec.params["reader"]]:
        for item in paths_of(reader, path):
            for cursor in ("x", "WyJhbm90aGVyIGxpc3QiLCAiYSJd"):
                reply = reader.get(item, cursor=cursor)
                assert (reply.status_code, reply.json()["code"]) == (422, "bad_cursor")
