"""Put-if-absent: of sixteen clients that create the same item at once over HTTP, exactly one succeeds."""

from pathlib import Path

import pytest

from tests.server.consistency.put_if_absent import CLIENTS, problems, run_races
from tests.server.processes import ServerProcess

IGNORED = """
from tablewright.engine.core.writes.item_writes import WriteCondition
WriteCondition.require = lambda condition, item: None
"""
ALWAYS_FAILED = """
from tablewright.engine.core.writes.item_writes import WriteCondition
from tablewright.errors import ConditionalCheckFailed
def fail(condition, item):
    raise ConditionalCheckFailed()
WriteCondition.require = fail
"""
BLIND_TO_MOST_CLIENTS = """
from tablewright.engine.core.writes.item_writes import WriteCondition
require = WriteCondition.require
def blind(condition, item):
    require(condition, None if item and item.attributes["client"]["N"] != "0" else item)
WriteCondition.require = blind
"""


@pytest.mark.parametrize("count", [40, pytest.param(2_000, marks=pytest.mark.soak)])
def test_each_race_has_one_winner(tmp_path: Path, count: int) -> None:
    with ServerProcess("--on", str(tmp_path / "data.db")) as server:
        races = run_races(server, count, seed=count)
    assert problems(races) == []
    assert len(races) == count
    assert all(len(race.losers) == CLIENTS - 1 for race in races)
    assert len({race.winners[0] for race in races}) > CLIENTS // 2, "many clients win"


@pytest.mark.parametrize(
    ("planted", "problem"),
    [(IGNORED, "16 winners"), (ALWAYS_FAILED, "0 winners"), (BLIND_TO_MOST_CLIENTS, "winners")],
    ids=["condition ignored", "condition always failed", "items of most clients not seen"],
)
def test_planted_bugs_are_found(planted: str, problem: str) -> None:
    with ServerProcess("--memory", planted=planted) as server:
        found = problems(run_races(server, 10, seed=1))
    assert found
    assert problem in found[0]


def test_a_loser_whose_item_is_stored_is_found() -> None:
    with ServerProcess("--memory") as server:
        races = run_races(server, 1, seed=1)
    assert problems([races[0]._replace(stored=races[0].losers[0])]) == [
        f"race 0 was won by {races[0].winners[0]}, but stored is {races[0].losers[0]}"
    ]
    assert problems([races[0]._replace(losers=races[0].losers[1:])]) == [
        "race 0 has clients without a valid reply"
    ]
