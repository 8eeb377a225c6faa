"""Costs for the page: the steps of each calculation add up to its number."""

import pytest
from tablewright_systems.collabhub.design import design

from tablewright.console.load.cost_data import estimate_data, undeclared
from tablewright.planning.cost_estimate import estimate
from tablewright.planning.prices import load_prices
from tablewright.planning.workloads import Workload


def test_the_steps_add_up_to_the_cost() -> None:
    data = estimate_data(estimate(design, Workload(), load_prices()), lambda table: f"live-{table.name}")
    assert data["lines"]
    for line in data["lines"]:
        assert sum(step["cost"] for step in line["calculation"]) == pytest.approx(line["cost"])
    for table in data["tables"]:
        assert table["name"].startswith("live-")
        for name in ("on_demand", "provisioned", "storage"):
            steps = table["calculations"][name]
            assert sum(step["cost"] for step in steps) == pytest.approx(table[f"{name}_cost"])


def test_what_is_not_declared_has_its_line_and_what_to_add() -> None:
    found = {each["name"]: each for each in undeclared(design, Workload())}
    pattern = next(each for each in found.values() if each["kind"] == "pattern")
    entity = next(each for each in found.values() if each["kind"] == "entity")
    assert pattern["add"] == "rate = fields.PerSecond(20)"
    assert pattern["source"].startswith(f"class {pattern['name']}(")
    assert "Expect(" in entity["add"]
    assert entity["line"] > 0


def test_a_class_without_source_has_no_line() -> None:
    from tablewright.console.load.cost_data import _missing

    assert _missing(type("Made", (), {}), "pattern", "rate = ...")["file"] in (None, "test_cost_data.py")
