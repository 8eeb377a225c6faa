"""Invitation rules: what another region sends is stored only if a server could have stored it."""

from copy import deepcopy
from typing import Any

import pytest

from tablewright.engine.features.replicas.membership import require_group
from tablewright.errors import ValidationError
from tests.engine.features.replicas.replicated_table import EU, US, World, world

__all__ = ["world"]


def test_the_group_of_a_table_is_accepted(world: World) -> None:
    replication = world[US].state.catalog.table("music").definition["Replication"]
    require_group(replication["Members"], replication["Settings"])


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("Billing", {"Value": None, "Changed": [1, US]}),
        ("Billing", {"Changed": [1, US]}),
        ("TableClass", {"Value": "zz", "Changed": [1, US]}),
        ("TimeToLive", {"Value": {"AttributeName": 5}, "Changed": [1, US]}),
        ("Index/by-song", {"Value": {"IndexName": "by-song"}, "Changed": [1, US]}),
        ("Unknown", {"Value": None, "Changed": [1, US]}),
    ],
)
def test_a_malformed_setting_is_named(world: World, name: str, entry: dict[str, Any]) -> None:
    replication = world[US].state.catalog.table("music").definition["Replication"]
    with pytest.raises(ValidationError, match=rf"^Replication\.Settings\.{name} is malformed"):
        require_group(replication["Members"], {**replication["Settings"], name: entry})


def test_a_malformed_member_is_not_passed_on(world: World, caplog: pytest.LogCaptureFixture) -> None:
    damaged = deepcopy(world[EU].state.catalog.table("music").definition)
    damaged["Replication"]["Members"]["ap-southeast-2"] = {"Changed": [1, EU], "Status": "CREATING"}
    world[EU].sessions.write(lambda tx: tx.state.catalog.save(tx.rows, damaged))
    world.pull(US, EU)
    assert [each["RegionName"] for each in world.describe(US)["Replicas"]] == [EU]
    assert "table music: replication from eu-west-1 failed: Replication.Members.ap-southeast-2" in caplog.text
