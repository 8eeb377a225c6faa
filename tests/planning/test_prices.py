"""Price files: regions, aliases of regions, and missing prices."""

from pathlib import Path

import pytest

from tablewright.errors import UsageError
from tablewright.planning.cost_estimate import estimate
from tablewright.planning.prices import load_prices
from tablewright.planning.workloads import Workload
from tests.planning.shop import shop


def test_a_missing_price_is_named(tmp_path: Path) -> None:
    file = tmp_path / "eu.json"
    file.write_text(
        '{"as_of": "2026-02", "regions": {"eu-north-1": {"standard": {"read": 0.3, "write": 1.5, "storage": 0.29}}}}'
    )
    prices = load_prices(file=file)
    assert (prices.region, prices.as_of) == ("eu-north-1", "2026-02")
    with pytest.raises(UsageError, match="the prices of eu-north-1 have no 'pitr'"):
        estimate(shop(point_in_time_recovery=True), Workload(), prices)


def test_a_region_may_have_the_prices_of_another() -> None:
    assert load_prices("us-west-2").standard == load_prices("us-east-1").standard
    assert load_prices("us-west-2").region == "us-west-2"


def test_an_unknown_region_is_rejected() -> None:
    with pytest.raises(UsageError, match="there are no prices for the region moon-1, only for us-east-1"):
        load_prices("moon-1")


def test_each_table_class_has_its_prices() -> None:
    prices = load_prices()
    assert prices.of_class("STANDARD") is prices.standard
    assert prices.of_class("STANDARD_INFREQUENT_ACCESS") is prices.infrequent
    with pytest.raises(UsageError, match="have no 'infrequent', which this design needs"):
        prices.model_copy(update={"infrequent": None}).of_class("STANDARD_INFREQUENT_ACCESS")
