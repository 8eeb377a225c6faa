"""Heat for the page: keys with their share of a partition, and measured keys in parts."""

import pytest

from tablewright.connections import Embedded
from tablewright.console.load.heat_data import heat_data, measured_keys, measured_patterns
from tablewright.planning.partition_heat import heat_of
from tablewright.planning.workloads import PatternUse, Workload
from tests.console.sample_console import open_system


def test_a_hot_key_has_its_calculation() -> None:
    opened = open_system("collabhub", samples=0)
    (heat,) = [each for each in heat_of(opened.design, Workload(), 10) if str(each.resource).endswith("GSI3")]
    data = heat_data(opened, heat)
    assert (data["verdict"], data["table"], data["index"]) == ("throttles", "collabhub-main", "GSI3")
    hottest = data["keys"][0]
    assert hottest["throttled"] > 0
    assert "of 1,000 write units a second" in hottest["calculation"]
    assert hottest["heat"] == pytest.approx(hottest["read"] / 3000 + hottest["write"] / 1000)
    opened.close()


def test_the_measured_rate_is_compared_with_the_declared_one(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = open_system("boards", samples=0)
    assert isinstance(opened.db.connection, Embedded)
    opened.traffic.start(opened.db.connection)
    key = {"PK": {"S": "BOARD#b1"}, "SK": {"S": "META"}}
    for _ in range(4):
        opened.db.connection.call("GetItem", {"TableName": "Boards", "Key": key})
    monkeypatch.setattr(type(opened.traffic), "seconds", 10.0)
    workload = Workload(patterns={"BoardById": PatternUse(times=525_600)})
    rows = {row["name"]: row for row in measured_patterns(opened, workload)}
    (hot,) = measured_keys(opened)
    row = rows["BoardById"]
    assert (row["requests"], row["each"], row["per_month"], row["ratio"]) == (4, 0.5, 4 / 10 * 2_628_000, 2.0)
    assert rows["Membership"]["requests"] == 0
    assert rows["BoardsOfUser"]["same_request"] == []
    assert hot["parts"] == [{"text": "BOARD#", "field": None}, {"text": "b1", "field": "board_id"}]
    opened.close()
