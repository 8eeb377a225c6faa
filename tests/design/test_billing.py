"""Billing modes as members of CreateTable."""

import pytest

from tablewright.design.billing import (
    Autoscaled,
    OnDemand,
    Provisioned,
    WarmThroughput,
    billing_members,
    throughput_members,
)
from tablewright.errors import DesignError


def test_on_demand_has_no_throughput() -> None:
    assert throughput_members(OnDemand()) == {}
    assert billing_members(OnDemand()) == {"BillingMode": "PAY_PER_REQUEST"}


def test_provisioned_capacity_is_given_to_the_table() -> None:
    assert billing_members(Provisioned(5, 7)) == {
        "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 7},
    }


@pytest.mark.parametrize(("read", "write"), [(0, 1), (1, 0), (-1, 1)])
def test_capacity_below_one_is_rejected(read: int, write: int) -> None:
    with pytest.raises(DesignError, match=f"must be at least 1 unit, got read={read}, write={write}"):
        Provisioned(read, write)


def test_on_demand_may_have_maximums() -> None:
    assert throughput_members(OnDemand(max_write=9)) == {"OnDemandThroughput": {"MaxWriteRequestUnits": 9}}
    with pytest.raises(DesignError, match="max_read must be at least 1 unit, got 0; leave it out"):
        OnDemand(max_read=0)


def test_autoscaled_capacity_starts_at_its_minimum() -> None:
    scaled = Autoscaled(5, 7, max_read=50, max_write=70)
    assert billing_members(scaled) == billing_members(Provisioned(5, 7))
    assert scaled.contains(50, 7)
    assert not scaled.contains(51, 7)
    assert not scaled.contains(5, 6)


def test_autoscaled_capacity_has_a_range() -> None:
    with pytest.raises(DesignError, match="maximums of at least its minimums"):
        Autoscaled(5, 7, max_read=4, max_write=70)
    with pytest.raises(DesignError, match="20 to 90 percent, got 95"):
        Autoscaled(5, 7, max_read=50, max_write=70, target=95)


def test_warm_throughput_is_positive() -> None:
    with pytest.raises(DesignError, match="warm throughput must be at least 1 unit"):
        WarmThroughput(0, 1)
