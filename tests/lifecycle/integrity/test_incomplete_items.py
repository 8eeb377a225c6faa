"""Incomplete items: items that a late update created after their entity was deleted."""

from typing import Any

import pytest

from tablewright.design.entities.entities import Entity
from tablewright.lifecycle.integrity.incomplete_items import is_incomplete
from tests.lifecycle.integrity.test_integrity_check import Member, Note

KEY = {"PK": {"S": "MEMBER#1"}, "SK": {"S": "MEMBER"}}
VISITS = {"visits": {"N": "1"}}
WHOLE = {
    **KEY,
    "type": {"S": "MEMBER"},
    "schemaVersion": {"N": "1"},
    "memberId": {"S": "1"},
    "email": {"S": "a@x"},
    "joinedAt": {"S": "2026-01-01T00:00:00.000Z"},
}


@pytest.mark.parametrize(
    ("entity", "item", "expected"),
    [
        (Member, KEY, True),
        (Member, KEY | VISITS, True),
        (Member, WHOLE, False),
        (Member, {name: value for name, value in WHOLE.items() if name != "type"}, False),
        (Member, KEY | {"colour": {"S": "red"}}, False),
        (Member, {"PK": {"S": "TEAM#1"}, "SK": {"S": "x"}}, False),
        (Note, {"noteId": {"S": "1"}, "body": {"S": "b"}}, True),
        (Note, {"noteId": {"S": "1"}, "body": {"S": "b"}, "title": {"S": "t"}}, False),
    ],
)
def test_only_items_without_their_created_attributes_are_incomplete(
    entity: type[Entity], item: Any, expected: bool
) -> None:
    assert is_incomplete(entity.layout, item) is expected
