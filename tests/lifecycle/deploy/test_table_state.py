"""Table states: a created table has the state that its design declares."""

from typing import Any

import pytest

from tablewright import Index, Table, billing, embedded
from tablewright.access.calls.procedures import run_sync
from tablewright.access.context import Context
from tablewright.access.create_tables import create_missing
from tablewright.lifecycle.deploy.setting_changes import setting_changes
from tablewright.lifecycle.deploy.table_state import IndexState, TableState, current_state, desired_state

INDEXES = [
    Index("by-owner", "owner", "size", projection="KEYS_ONLY"),
    Index("some", "owner", projection=("b", "a")),
    Index("local", "PK", "owner", local=True),
]


def found(table: Table) -> TableState:
    with embedded() as connection:
        run_sync(create_missing([table], Context()), connection.call)
        state = run_sync(current_state(table.name), connection.call)
    assert state is not None
    return state


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"indexes": INDEXES, "types": {"size": "N"}},
        {"billing": billing.Provisioned(5, 7)},
        {"stream": "NEW_IMAGE", "ttl": "expiresAt"},
        {"deletion_protection": True, "table_class": "STANDARD_INFREQUENT_ACCESS"},
        {"tags": {"team": "notes", "cost": "7"}},
    ],
    ids=lambda settings: ", ".join(settings) or "plain",
)
def test_a_created_table_has_the_desired_state(settings: dict[str, Any]) -> None:
    table = Table("states", ("PK", "SK"), **settings)
    current, desired = found(table), desired_state(table, "states")
    assert current.key == desired.key == (("PK", "HASH", "S"), ("SK", "RANGE", "S"))
    assert set(current.indexes) == set(desired.indexes)
    assert list(setting_changes(desired, current)) == []


def test_a_missing_table_has_no_state() -> None:
    with embedded() as connection:
        assert run_sync(current_state("absent"), connection.call) is None


def test_an_index_is_found_by_its_name() -> None:
    state = desired_state(Table("states", ("PK", "SK"), INDEXES, types={"size": "N"}), "states")
    index = state.index("some")
    assert index is not None
    assert index == IndexState("some", (("owner", "HASH", "S"),), ("INCLUDE", "a", "b"))
    assert state.index("none") is None
    assert index.is_like(IndexState("other name", index.key, index.projection))
    assert not index.is_like(IndexState("some", index.key, ("ALL",)))
