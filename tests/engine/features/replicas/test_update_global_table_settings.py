"""UpdateGlobalTableSettings: no table is one of version 2017, also not a table with replicas."""

import pytest

from tablewright.errors import GlobalTableNotFound
from tests.engine.features.replicas.replicated_table import US, World, world

__all__ = ["world"]


@pytest.mark.parametrize("name", ["music", "missing"])
def test_no_global_table_is_found(world: World, name: str) -> None:
    with pytest.raises(GlobalTableNotFound, match=f"^Global table with name: '{name}' does not exist.$"):
        world[US].call("UpdateGlobalTableSettings", {"GlobalTableName": name})
