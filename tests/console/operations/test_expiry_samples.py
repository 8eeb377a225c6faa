"""Expired items that are still stored, in a bounded sample; and their deletion."""

import pytest

from tablewright.console.operations import expiry_samples
from tablewright.errors import UsageError
from tests.console.club_design import NOW, open_club


def test_expired_items_and_the_next_ones_are_counted() -> None:
    opened = open_club()
    expiry_samples.sweep(opened)
    for number, at in enumerate((NOW - 50, NOW - 5, NOW + 100, NOW + 50)):
        item = {
            "PK": {"S": f"MEMBER#x{number}"},
            "SK": {"S": f"TASK#t{number}"},
            "type": {"S": "TASK"},
            "expiresAt": {"N": str(int(at))},
        }
        opened.db.connection.call("PutItem", {"TableName": "club", "Item": item})
    expiry = expiry_samples.sample_expiry(opened, "club")
    deleted = expiry_samples.sweep(opened)
    after = expiry_samples.sample_expiry(opened, "club")
    opened.close()
    assert (expiry["attribute"], expiry["expired"], expiry["is_complete"]) == ("expiresAt", 2, True)
    assert [each["at"] for each in expiry["next"]][:2] == [NOW + 50, NOW + 100]
    assert (deleted, after["expired"]) == (2, 0)


def test_the_sample_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiry_samples, "SAMPLE_ITEMS", 3)
    opened = open_club()
    for number in range(5):
        item = {"PK": {"S": f"MEMBER#y{number}"}, "SK": {"S": "TASK#t"}}
        opened.db.connection.call("PutItem", {"TableName": "club", "Item": item})
    expiry = expiry_samples.sample_expiry(opened, "club")
    opened.close()
    assert (expiry["sampled"], expiry["is_complete"]) == (3, False)


def test_a_table_without_ttl_says_so() -> None:
    opened = open_club()
    assert "no TTL attribute" in expiry_samples.sample_expiry(opened, "scores")["why"]
    with pytest.raises(UsageError, match="has no table absent"):
        expiry_samples.sample_expiry(opened, "absent")
    opened.close()
