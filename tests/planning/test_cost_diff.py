"""Cost differences between two designs, with their reasons."""

import pytest

from tablewright import Design
from tablewright.planning.cost_diff import differences
from tablewright.planning.cost_estimate import estimate
from tablewright.planning.prices import load_prices
from tests.planning.shop import BY_STATUS, shop, workload

PRICES = load_prices()


def test_an_index_makes_writes_more_expensive() -> None:
    month = workload(create=1_000_000, update=1_000_000, moves=0.5)
    before, after = (estimate(shop(indexes=indexes), month, PRICES) for indexes in ((), (BY_STATUS,)))
    found = {one.name: one for one in differences(before, after)}
    assert found["create Order"].by == pytest.approx(0.625)
    assert found["update Order"].by == pytest.approx(0.625 * 1.5)
    assert found["update Order"].why == "orders.by-status 0 -> 1.5 write"
    assert found["orders"].by == pytest.approx(0.625 * 2.5)
    assert {one.name: one.by for one in differences(after, before)} == {
        name: -one.by for name, one in found.items()
    }
    assert differences(after, after) == ()


def test_new_and_removed_lines_are_named() -> None:
    month = workload(create=1_000_000)
    empty, full = (estimate(design, month, PRICES) for design in (Design("shop"), shop()))
    assert {(one.name, one.why) for one in differences(empty, full)} == {
        ("create Order", "new"),
        ("orders", "new"),
    }
    assert {one.why for one in differences(full, empty)} == {"removed"}


def test_a_changed_rate_is_the_reason() -> None:
    before, after = (estimate(shop(), workload(create=times), PRICES) for times in (1_000_000, 3_000_000))
    (line,) = [one for one in differences(before, after) if one.what == "write"]
    assert line.why == "1,000,000 -> 3,000,000 times"
