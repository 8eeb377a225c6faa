"""A connection that records consumed capacity, and estimates in the same format."""

from collections.abc import Callable
from typing import Any

from tablewright import Connection
from tablewright.planning.capacity_demand import Demand


class Metered:
    """A connection that records consumed capacity by resource and kind."""

    def __init__(self, inner: Connection) -> None:
        self.inner = inner
        self.bill: dict[tuple[str, str], float] = {}

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        asks = operation.endswith(("Item", "Items", "Query", "Scan"))
        reply = self.inner.call(operation, request | ({"ReturnConsumedCapacity": "INDEXES"} if asks else {}))
        bills = reply.get("ConsumedCapacity", [])
        kind = "read" if operation in ("GetItem", "Query", "Scan", "BatchGetItem") else "write"
        for bill in bills if isinstance(bills, list) else [bills]:
            of_table = bill["Table"]["CapacityUnits"]
            local = sum(one["CapacityUnits"] for one in bill.get("LocalSecondaryIndexes", {}).values())
            self._add(bill["TableName"], kind, of_table + local)
            for name, one in bill.get("GlobalSecondaryIndexes", {}).items():
                self._add(f"{bill['TableName']}.{name}", kind, one["CapacityUnits"])
        return reply

    def _add(self, resource: str, kind: str, units: float) -> None:
        if units:
            self.bill[resource, kind] = self.bill.get((resource, kind), 0.0) + units

    def close(self) -> None:
        self.inner.close()


def measured(meter: Metered, act: Callable[[], Any]) -> dict[tuple[str, str], float]:
    meter.bill = {}
    act()
    return meter.bill


def shown(demand: Demand) -> dict[tuple[str, str], float]:
    pairs = (
        ((str(resource), kind), getattr(units, kind))
        for resource, units in demand.items()
        for kind in ("read", "write")
    )
    return {key: units for key, units in pairs if units}
