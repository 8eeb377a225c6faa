"""A table as declared beside the table as found: the settings that differ are those that a deployment changes."""

from dataclasses import replace
from typing import Any

import pytest

from tablewright import Index, Table, billing
from tablewright.lifecycle.deploy.deployment_steps import TableCreation
from tablewright.lifecycle.deploy.drift import SettingComparison, compare_settings
from tablewright.lifecycle.deploy.setting_changes import setting_changes
from tablewright.lifecycle.deploy.table_state import TableState, desired_state


def _state(key: Any = ("id", "sort"), indexes: Any = (), **settings: Any) -> TableState:
    if "replicas" in settings:
        settings["stream"] = "NEW_AND_OLD_IMAGES"
    return desired_state(Table("things", key, indexes, **settings), "t")


def _rows(desired: TableState, current: TableState | None) -> dict[str, SettingComparison]:
    return {setting.setting: setting for setting in compare_settings(desired, current)}


@pytest.mark.parametrize(
    ("setting", "declared", "found"),
    [
        ("billing", billing.Provisioned(5, 7), billing.OnDemand()),
        ("ttl", "expires", False),
        ("stream", "KEYS_ONLY", False),
        ("point_in_time_recovery", True, False),
        ("table_class", "STANDARD_INFREQUENT_ACCESS", "STANDARD"),
        ("contributor_insights", True, False),
        ("resource_policy", {"Version": "2012-10-17", "Statement": []}, False),
        ("tags", {"team": "a"}, {"team": "b"}),
        ("deletion_protection", True, False),
        ("replicas", ["eu-west-1"], []),
    ],
)
def test_a_setting_that_a_deployment_would_change_is_different(
    setting: str, declared: Any, found: Any
) -> None:
    desired, current = _state(**{setting: declared}), _state(**{setting: found})
    row = _rows(desired, current)[setting]
    assert row.state == "different"
    assert row.declared != row.found
    assert list(setting_changes(desired, current))
    same = _rows(desired, desired)[setting]
    assert (same.state, same.declared) == ("same", row.declared)


def test_a_setting_that_the_design_does_not_give_is_not_stated() -> None:
    row = _rows(_state(), _state(ttl="expires"))["ttl"]
    assert (row.declared, row.found, row.state, row.step) == ("-", "expires", "not stated", None)


def test_a_setting_that_the_endpoint_does_not_tell_is_unknown() -> None:
    desired = _state(point_in_time_recovery=True)
    row = _rows(desired, replace(_state(), unread=frozenset({"point_in_time_recovery"})))
    assert row["point_in_time_recovery"].state == "unknown"
    assert row["point_in_time_recovery"].found == "-"


def test_indexes_are_compared_by_name() -> None:
    kept, changed = Index("kept", "a"), Index("changed", "b")
    desired = _state(indexes=[kept, changed, Index("new", "c")])
    current = _state(indexes=[kept, Index("changed", "b", projection="KEYS_ONLY"), Index("old", "d")])
    rows = _rows(desired, current)
    states = {name: row.state for name, row in rows.items() if name.startswith("index ")}
    assert states == {
        "index kept": "same",
        "index changed": "different",
        "index new": "missing",
        "index old": "not declared",
    }
    assert rows["index changed"].step == "replace index changed"


def test_the_capacity_of_an_index_is_compared() -> None:
    units = billing.Provisioned(5, 5)
    desired = _state(indexes=[Index("by-x", "x", billing=billing.Provisioned(9, 9))], billing=units)
    row = _rows(desired, _state(indexes=[Index("by-x", "x", billing=units)], billing=units))["index by-x"]
    assert (row.state, row.step) == (
        "different",
        "change the capacity of index by-x to 9 read and 9 write units for t",
    )


def test_another_key_is_different() -> None:
    row = _rows(_state(), _state(key="id"))["key"]
    assert (row.declared, row.found, row.state) == ("id (S), sort (S)", "id (S)", "different")


def test_a_table_that_does_not_exist_is_missing() -> None:
    (row,) = compare_settings(_state(), None, (TableCreation("t", {}),))
    assert (row.setting, row.state, row.step) == ("table", "missing", "create table t")
