"""Billing modes of a table or an index: `billing.OnDemand()`, `billing.Provisioned(read=5, write=5)`, `Autoscaled`."""

from typing import Any

from tablewright.deferred_dataclasses import dataclass
from tablewright.errors import DesignError

UNLIMITED = -1
"""DynamoDB's value for a maximum that is removed."""


@dataclass(frozen=True, slots=True)
class OnDemand:
    """Pay per request; `max_read` and `max_write` limit the request units of each second.

    >>> OnDemand(max_write=1_000)
    OnDemand(max_read=None, max_write=1000)
    """

    max_read: int | None = None
    max_write: int | None = None

    def __post_init__(self) -> None:
        for name, units in (("max_read", self.max_read), ("max_write", self.max_write)):
            if units is not None and units < 1:
                raise DesignError(f"{name} must be at least 1 unit, got {units}; leave it out for no maximum")


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


@dataclass(frozen=True, slots=True)
class Autoscaled(Provisioned):
    """Provisioned capacity that AWS Application Auto Scaling keeps between a minimum and a maximum.

    The minimums are `read` and `write`, the maximums `max_read` and `max_write`.
    `target` is the percentage of the provisioned capacity that traffic should use. Generated CloudFormation, Terraform
    and CDK code contains the scaling policies; `deploy` creates a table with the minimum, and leaves capacity between
    the limits as it is.

    >>> Autoscaled(read=5, max_read=500, write=5, max_write=100).target
    70
    """

    max_read: int
    max_write: int
    target: int = 70

    def __post_init__(self) -> None:
        Provisioned.__post_init__(self)
        if self.max_read < self.read or self.max_write < self.write:
            raise DesignError(
                f"autoscaled capacity must have maximums of at least its minimums, got read={self.read} to "
                f"{self.max_read}, write={self.write} to {self.max_write}"
            )
        if not 20 <= self.target <= 90:
            raise DesignError(f"the target of autoscaled capacity is 20 to 90 percent, got {self.target}")

    def contains(self, read: int, write: int) -> bool:
        """Whether capacity is between the minimums and the maximums."""
        return self.read <= read <= self.max_read and self.write <= write <= self.max_write


Billing = OnDemand | Provisioned


@dataclass(frozen=True, slots=True)
class WarmThroughput:
    """The units a second that a table or an index supports at once, without growing into them."""

    read: int
    write: int

    def __post_init__(self) -> None:
        if self.read < 1 or self.write < 1:
            raise DesignError(
                f"warm throughput must be at least 1 unit, got read={self.read}, write={self.write}"
            )

    def members(self) -> dict[str, Any]:
        """The throughput as a member of CreateTable."""
        return {"ReadUnitsPerSecond": self.read, "WriteUnitsPerSecond": self.write}


def throughput_members(billing: Billing) -> dict[str, Any]:
    """The members of CreateTable for the capacity of a table or an index."""
    if isinstance(billing, Provisioned):
        units = {"ReadCapacityUnits": billing.read, "WriteCapacityUnits": billing.write}
        return {"ProvisionedThroughput": units}
    maximums = {"MaxReadRequestUnits": billing.max_read, "MaxWriteRequestUnits": billing.max_write}
    limits = {name: units for name, units in maximums.items() if units is not None}
    return {"OnDemandThroughput": limits} if limits else {}


def billing_members(billing: Billing) -> dict[str, Any]:
    """The members of CreateTable for the billing mode of a table."""
    mode = "PAY_PER_REQUEST" if isinstance(billing, OnDemand) else "PROVISIONED"
    return {"BillingMode": mode} | throughput_members(billing)
