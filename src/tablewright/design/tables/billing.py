"""Billing modes of a table: `billing.OnDemand()` or `billing.Provisioned(read=5, write=5)`."""

from dataclasses import dataclass
from typing import Any

from tablewright.errors import DesignError


@dataclass(frozen=True, slots=True)
class OnDemand:
    """Pay per request."""


@dataclass(frozen=True, slots=True)
class Provisioned:
    """Pay for provisioned capacity by the hour, used or not."""

    read: int
    write: int

    def __post_init__(self) -> None:
        if self.read < 1 or self.write < 1:
            raise DesignError(
                f"provisioned capacity must be at least 1 unit, got read={self.read}, write={self.write}"
            )


Billing = OnDemand | Provisioned


def throughput_members(billing: Billing) -> dict[str, Any]:
    """The members of CreateTable for the capacity of a table or an index."""
    if isinstance(billing, OnDemand):
        return {}
    return {"ProvisionedThroughput": {"ReadCapacityUnits": billing.read, "WriteCapacityUnits": billing.write}}


def billing_members(billing: Billing) -> dict[str, Any]:
    """The members of CreateTable for the billing mode of a table."""
    mode = "PAY_PER_REQUEST" if isinstance(billing, OnDemand) else "PROVISIONED"
    return {"BillingMode": mode} | throughput_members(billing)
