"""Consumed capacity: the capacity units that a reply reports."""

from tablewright.access.calls.procedures import Reply


def consumed_units(reply: Reply) -> float:
    """Return the capacity units of a reply; 0 when the request did not ask for them.

    >>> consumed_units({"ConsumedCapacity": [{"CapacityUnits": 1.0}, {"CapacityUnits": 0.5}]})
    1.5
    """
    reported = reply.get("ConsumedCapacity") or ()
    entries = [reported] if isinstance(reported, dict) else reported
    return float(sum(entry.get("CapacityUnits", 0.0) for entry in entries))
