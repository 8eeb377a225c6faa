"""Billing modes as members of CreateTable."""

import pytest

from tablewright.design.tables.billing import OnDemand, Provisioned, billing_members, throughput_members
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
