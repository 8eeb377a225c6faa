"""Billing: how a table is paid for, `billing.OnDemand()` or `billing.Provisioned(read=5, write=5)`."""

from dataclasses import dataclass
from typing import Any

from tablewright.errors import DesignError


@dataclass(frozen=True, slots=True)
class OnDemand:
    """Pay per request."""


@dataclass(frozen=True, slots=True)
class Provisioned:
    """Pay for capacity by the hour, used or not."""

    read: int
    write: int

    def __post_init__(self) -> None:
        if self.read < 1 or self.write < 1:
            raise DesignError(
                f"provisioned capacity is at least 1 unit, not read={self.read}, write={self.write}"
            )


Billing = OnDemand | Provisioned


def throughput_members(billing: Billing) -> dict[str, Any]:
    """What CreateTable is told of the capacity of a table or of an index."""
    if isinstance(billing, OnDemand):
        return {}
    return {"ProvisionedThroughput": {"ReadCapacityUnits": billing.read, "WriteCapacityUnits": billing.write}}


def billing_members(billing: Billing) -> dict[str, Any]:
    """What CreateTable is told of the way a table is paid for."""
    mode = "PAY_PER_REQUEST" if isinstance(billing, OnDemand) else "PROVISIONED"
    return {"BillingMode": mode} | throughput_members(billing)
