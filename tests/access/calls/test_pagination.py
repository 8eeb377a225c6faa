"""Pagination: every page is read, after the last key of the page before."""

from typing import Any

from tablewright import errors
from tablewright.access.calls.pagination import all_items
from tablewright.access.calls.procedures import Reply, run_sync

PAGES: list[Reply] = [
    {"Items": [{"id": {"S": "1"}}], "LastEvaluatedKey": {"id": {"S": "1"}}},
    {"Items": [], "LastEvaluatedKey": {"id": {"S": "5"}}},
    {"Items": [{"id": {"S": "7"}}]},
]


def test_all_pages_are_read() -> None:
    requests: list[dict[str, Any]] = []
    replies = iter(PAGES)

    def call(operation: str, request: dict[str, Any]) -> Reply:
        assert operation == "Scan"
        requests.append(request)
        return next(replies)

    found = run_sync(all_items("Scan", {"TableName": "t"}), call)
    assert found == [{"id": {"S": "1"}}, {"id": {"S": "7"}}]
    assert requests == [
        {"TableName": "t"},
        {"TableName": "t", "ExclusiveStartKey": {"id": {"S": "1"}}},
        {"TableName": "t", "ExclusiveStartKey": {"id": {"S": "5"}}},
    ]


def test_a_throttled_page_is_read_again() -> None:
    replies: list[Reply | errors.Throttling] = [PAGES[0], errors.Throttling("busy"), PAGES[2]]

    def call(operation: str, request: dict[str, Any]) -> Reply:
        reply = replies.pop(0)
        if isinstance(reply, errors.Throttling):
            raise reply
        return reply

    assert len(run_sync(all_items("Query", {}), call, lambda seconds: None)) == 2
