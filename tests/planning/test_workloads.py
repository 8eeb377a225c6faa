"""Workloads: declared rates, files that override them, and scaling."""

from pathlib import Path

import pytest

from tablewright import Design, Entity, Get, Keys, Table, fields
from tablewright.errors import UsageError
from tablewright.planning.workloads import (
    EntityUse,
    PatternUse,
    Workload,
    assumed_workload,
    declares_rates,
    load_workload,
)
from tests.planning.shop import BY_STATUS, shop

silent_table = Table("silent", key="PK")


class Thing(Entity, table=silent_table, type="THING"):
    thing_id: str
    keys = Keys(primary=("THING#{thing_id}",))


class ThingById(Get[Thing]):
    thing_id: str


def test_names_may_be_those_of_either_design(tmp_path: Path) -> None:
    file = tmp_path / "month.json"
    file.write_text('{"entities": {"Order": {"moves": {"by-status": 0.5}}}}')
    assert load_workload(file, shop(), shop(indexes=(BY_STATUS,))).entities["Order"].moved("by-status") == 0.5
    with pytest.raises(UsageError, match="the design has no index by-status"):
        load_workload(file, shop())


def test_a_number_is_short_for_times() -> None:
    assert PatternUse.model_validate(10) == PatternUse(times=10)


def test_the_file_overrides_declared_rates() -> None:
    design = shop(rate=fields.PerMonth(50))
    (plan,), (order,) = design.plans, design.entities
    assert Workload().times_of(plan) == 50
    assert Workload(patterns={"OrdersOf": PatternUse(times=7)}).times_of(plan) == 7
    assert Workload().writes_of(order.layout) == {}
    assert Workload(entities={"Order": EntityUse(update=3)}).writes_of(order.layout) == {"update": 3}


def test_a_rate_per_second_is_divided_by_the_peak() -> None:
    (plan,) = shop(rate=fields.PerSecond(8)).plans
    assert Workload(peak=4).times_of(plan) == 2 * 2_628_000


def test_scaling_multiplies_users_runs_writes_and_items() -> None:
    order = EntityUse(items=10, size=100, create=5)
    month = Workload(users=2, patterns={"OrdersOf": PatternUse(times=3, items=9)}, entities={"Order": order})
    scaled = month.scaled(10)
    assert (scaled.users, scaled.patterns["OrdersOf"]) == (20, PatternUse(times=30, items=9))
    assert scaled.entities["Order"] == EntityUse(items=100, size=100, create=50)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"patterns": {"OrderOf": 3}}', r"the design has no pattern OrderOf; did you mean OrdersOf\?"),
        ('{"entities": {"Zebra": {}}}', "the design has no entity Zebra; there are: Order"),
        ('{"tables": {"ordres": {}}}', r"the design has no table ordres; did you mean orders\?"),
        ('{"entities": {"Order": {"copies": {"x": 1}}}}', "the design has no copy x; there are: none"),
    ],
)
def test_unknown_names_are_rejected(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "month.json"
    file.write_text(content)
    with pytest.raises(UsageError, match=message):
        load_workload(file, shop())


def test_a_design_without_rates_gets_an_assumption_that_is_said() -> None:
    silent = Design("silent", entities=[Thing], patterns=[ThingById])
    assert not declares_rates(silent, Workload())
    workload, text = assumed_workload(silent, Workload())
    assert declares_rates(silent, workload)
    (plan,) = silent.plans
    assert workload.times_of(plan) == 1_000_000
    assert workload.writes_of(Thing.layout) == {"create": 100_000}
    assert "silent declares no rates. Assumed: 1,000,000 runs of each pattern" in text
    assert "--workload FILE" in text
