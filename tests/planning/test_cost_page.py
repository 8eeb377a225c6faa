"""Cost pages: the data of the estimate, in one page without a network."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablewright.planning.cost_estimate import Estimate, estimate
from tablewright.planning.cost_page import cost_page
from tablewright.planning.prices import load_prices
from tablewright.planning.workloads import Workload
from tests.planning.shop import shop, shop_in_two_classes, workload


def found() -> Estimate:
    return estimate(shop(), workload(create=1_000_000, items=100_000_000), load_prices())


def found_in_two_classes() -> Estimate:
    return estimate(shop_in_two_classes(), Workload(), load_prices())


def data_of(page: str) -> Any:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert match
    return json.loads(match[1])


def test_the_page_has_the_estimate_and_nothing_from_the_network() -> None:
    page = cost_page(found())
    data = data_of(page)
    assert [line["name"] for line in data["lines"]] == [line.name for line in found().lines]
    assert [term["years"] for term in data["reserved"]] == [1, 3]
    assert "http" not in page
    assert "25 GB of each account and region are free" in page


def test_a_name_cannot_end_the_data() -> None:
    changed = estimate(shop(), workload(create=1), load_prices())
    object.__setattr__(changed, "notes", ("<b>",))
    object.__setattr__(changed.lines[0], "name", "</script><script>alert(1)</script>")
    page = cost_page(changed)
    assert "<script>alert(1)" not in page
    assert "&lt;b&gt;" in page


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node here")
@pytest.mark.parametrize("estimated", [found, found_in_two_classes])
def test_the_script_calculates_as_the_estimate_does(
    estimated: Callable[[], Estimate], tmp_path: Path
) -> None:
    expected = estimated()
    page = cost_page(expected)
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    run = tmp_path / "run.js"
    run.write_text(
        """
const fields = {};
const element = (id) => fields[id] ??= {id, value: id === "peak" ? "1" : "0", textContent: "", className: "",
  addEventListener() {}, setAttribute() {}, append(child) { fields[child.id] = child; }, replaceChildren() {},
  insertRow: () => element("row" + Math.random()), insertCell: () => element("cell" + Math.random())};
const document = {getElementById: element, createElement: () => element("new" + Math.random())};
"""
        f"element('data').textContent = {json.dumps(json.dumps(data_of(page)))};\n"
        + script
        + "console.log(JSON.stringify(total(1, 1, 1)));\n"
    )
    done = subprocess.run(["node", str(run)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    calculated = json.loads(done.stdout)
    assert calculated["found"]["On demand"] == pytest.approx(expected.request_cost, rel=0.001)
    stored = sum(table.storage_cost + sum(extra.cost for extra in table.extras) for table in expected.tables)
    assert calculated["storage"] == pytest.approx(stored, rel=0.001)
    # The page reserves scaled capacity, and the estimate that of the busiest second.
    rare = sum(
        (table.provisioned_cost or 0) for table in expected.tables if table.table.table_class != "STANDARD"
    )
    for term in expected.prices.standard.reserved:
        years = f"{term.years} year{'s' if term.years > 1 else ''}"
        assert calculated["found"][f"Scaled, with capacity reserved for {years}"] > rare
