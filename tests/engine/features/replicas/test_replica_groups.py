"""Replica groups: the newer entry of each region wins, and a region that left can join again."""

from typing import Any

from tablewright.engine.features.replicas.replica_groups import (
    acted_as_source,
    is_changing,
    live_members,
    new_replication,
    newest,
    next_stamp,
    with_member,
)

US, EU = "us-east-1", "eu-west-1"


def definition(**statuses: str) -> dict[str, Any]:
    replication = new_replication(99, US, 1000.0, {})
    value: dict[str, Any] = {"Replication": replication}
    for region, status in statuses.items():
        changes = {"Status": status, "Source": US, "Since": 1000.0}
        value = with_member(value, region.replace("_", "-"), 1000.0, US, changes)
    return value


def test_the_newer_entry_of_each_region_wins() -> None:
    old = definition(eu_west_1="CREATING")
    active = with_member(old, EU, 1001.0, EU, {"Status": "ACTIVE"})
    members = (old["Replication"]["Members"], active["Replication"]["Members"])
    assert newest(*members) == newest(*reversed(members)) == members[1]


def test_a_stamp_is_newer_than_the_one_before_it() -> None:
    assert next_stamp(None, 1.0, US) == [1_000_000, US]
    assert next_stamp([2_000_000, EU], 1.0, US) == [2_000_001, US]


def test_a_member_that_left_is_not_live_and_can_join_again() -> None:
    left = definition(eu_west_1="DELETED")
    assert list(live_members(left)) == [US]
    again = with_member(left, EU, 2000.0, US, {"Status": "CREATING", "Source": US, "Since": 2000.0})
    assert list(live_members(again)) == [US, EU]
    assert is_changing(again)
    assert not is_changing(left)


def test_a_region_is_a_source_for_a_day_while_the_replica_exists() -> None:
    joined = definition(eu_west_1="ACTIVE")
    assert acted_as_source(joined, US, 1000.0 + 24 * 3600 - 1)
    assert not acted_as_source(joined, US, 1000.0 + 24 * 3600)
    assert not acted_as_source(joined, EU, 1000.0)
    assert not acted_as_source(definition(eu_west_1="DELETED"), US, 1000.0)


def test_a_table_without_replicas_has_no_members() -> None:
    assert live_members({}) == {}
