"""Price files: regions, aliases of regions, and missing prices."""

from pathlib import Path

import pytest

from tablewright.engine.core.requests.arns import AWS_REGIONS
from tablewright.errors import UsageError
from tablewright.planning.cost_estimate import estimate
from tablewright.planning.prices import load_prices, priced_regions
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


def test_all_commercial_regions_have_prices() -> None:
    elsewhere = ("cn-", "us-gov-", "eusc-")
    assert set(priced_regions()) == {region for region in AWS_REGIONS if not region.startswith(elsewhere)}


@pytest.mark.parametrize(
    ("region", "write", "read", "write_hour", "read_hour", "storage"),
    [
        ("us-east-1", 0.625, 0.125, 0.00065, 0.00013, 0.25),
        ("us-east-2", 0.625, 0.125, 0.00065, 0.00013, 0.25),
        ("ap-northeast-1", 0.715, 0.1425, 0.000742, 0.0001484, 0.285),
        ("ap-south-1", 0.71, 0.1425, 0.00074, 0.000148, 0.285),
        ("ap-southeast-2", 0.71, 0.1425, 0.00074, 0.000148, 0.285),
        ("eu-central-1", 0.7625, 0.1525, 0.000793, 0.0001586, 0.306),
        ("eu-north-1", 0.67, 0.1345, 0.000698, 0.00014, 0.269),
        ("eu-west-1", 0.705, 0.1415, 0.000735, 0.000147, 0.283),
        ("sa-east-1", 0.9375, 0.1875, 0.000975, 0.000195, 0.375),
    ],
)
def test_prices_of_some_regions(
    region: str, write: float, read: float, write_hour: float, read_hour: float, storage: float
) -> None:
    found = load_prices(region).standard
    listed = (found.write, found.read, found.write_hour, found.read_hour, found.storage)
    assert listed == (write, read, write_hour, read_hour, storage)


def test_the_other_prices_of_frankfurt() -> None:
    prices = load_prices("eu-central-1")
    assert (prices.pitr, prices.backup, prices.restore) == (0.2448, 0.1224, 0.1836)
    assert (prices.export, prices.import_, prices.stream) == (0.1224, 0.1836, 0.0245)
    assert [(each.years, each.write_upfront) for each in prices.standard.reserved] == [(1, 183), (3, 219.6)]


@pytest.mark.parametrize("region", priced_regions())
def test_prices_of_a_region_are_in_proportion(region: str) -> None:
    """AWS rounds, so most proportions are not exact."""
    prices = load_prices(region)
    standard, infrequent = prices.standard, prices.of_class("STANDARD_INFREQUENT_ACCESS")
    assert standard.write / standard.read == pytest.approx(5, rel=0.02)
    assert standard.write_hour is not None
    assert standard.read_hour is not None
    assert standard.write_hour / standard.read_hour == pytest.approx(5, rel=0.004)
    assert infrequent.storage / standard.storage == pytest.approx(0.4, rel=0.001)
    assert infrequent.write / standard.write == pytest.approx(1.25, rel=0.01)
    assert prices.of("restore") == prices.of("import_")
    virginia = load_prices("us-east-1").standard
    assert virginia.write <= standard.write <= 1.5 * virginia.write
    assert virginia.storage <= standard.storage <= 1.5 * virginia.storage


@pytest.mark.parametrize("region", priced_regions())
def test_reserved_capacity_is_cheaper(region: str) -> None:
    standard = load_prices(region).standard
    for reserved in standard.reserved:
        hours = reserved.years * 365 * 24
        assert reserved.write_upfront / hours + reserved.write_hour < 100 * (standard.write_hour or 0)
        assert reserved.read_upfront / hours + reserved.read_hour < 100 * (standard.read_hour or 0)


def test_a_price_that_aws_does_not_list_is_missing() -> None:
    with pytest.raises(UsageError, match="the prices of il-central-1 have no 'stream'"):
        load_prices("il-central-1").of("stream")


def test_an_unknown_region_is_rejected() -> None:
    with pytest.raises(UsageError, match="there are no prices for the region moon-1, only for us-east-1"):
        load_prices("moon-1")


def test_each_table_class_has_its_prices() -> None:
    prices = load_prices()
    assert prices.of_class("STANDARD") is prices.standard
    assert prices.of_class("STANDARD_INFREQUENT_ACCESS") is prices.infrequent
    with pytest.raises(UsageError, match="have no 'infrequent', which this design needs"):
        prices.model_copy(update={"infrequent": None}).of_class("STANDARD_INFREQUENT_ACCESS")
