"""Throughput: the billing mode of a table and its global indexes, and their capacity.

Provisioned tables have capacity units of their own, and so has each of their global indexes. Tables billed by request
have none; they may have a maximum (OnDemandThroughput). Both report their WarmThroughput: the load that they can
serve at once, which never decreases.
"""

from datetime import UTC, datetime
from typing import Any

from tablewright.engine.core.tables.table_rules import INVALID, Entry
from tablewright.errors import LimitExceeded, ValidationError

MOST_TABLE_UNITS = 40_000
MOST_ACCOUNT_UNITS = 80_000
FREE_DECREASES = 4
DECREASE_INTERVAL = 3600
LARGEST_VALUE = 1_000_000_000_000
ON_DEMAND_WARM_THROUGHPUT = {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000}
NO_UNITS_ON_DEMAND = (
    f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
    "PAY_PER_REQUEST"
)

_DAY = 24 * 3600
_UNITS = ("ReadCapacityUnits", "WriteCapacityUnits")
_MAXIMA = ("MaxReadRequestUnits", "MaxWriteRequestUnits")
_WARM_UNITS = ("ReadUnitsPerSecond", "WriteUnitsPerSecond")
_INITIAL = (
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html"
    "#on-demand-capacity-mode-initial"
)


def require_billing(request: Entry) -> None:
    """Reject a CreateTable whose throughput contradicts its billing mode."""
    units = request.get("ProvisionedThroughput")
    on_demand = request.get("BillingMode") == "PAY_PER_REQUEST"
    if on_demand and units:
        raise ValidationError(NO_UNITS_ON_DEMAND)
    if not on_demand and not units:
        raise ValidationError(
            f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
        )
    require_bounds(units)


def require_bounds(units: Entry | None) -> None:
    """Reject numbers of units out of range."""
    for name, value in _numbers(_UNITS, units).items():
        if value > LARGEST_VALUE:
            raise ValidationError(f"Given value {value} for {name} is out of bounds")


def require_index_billing(request: Entry) -> None:
    """Reject global indexes of a CreateTable whose throughput contradicts its billing mode."""
    on_demand = request.get("BillingMode") == "PAY_PER_REQUEST"
    for index in request.get("GlobalSecondaryIndexes") or ():
        name = index["IndexName"]
        if on_demand and index.get("ProvisionedThroughput"):
            raise ValidationError(
                f"{INVALID}ProvisionedThroughput should not be specified for index: {name} when BillingMode is "
                "PAY_PER_REQUEST"
            )
        if not on_demand and not index.get("ProvisionedThroughput"):
            raise ValidationError(f"{INVALID}ProvisionedThroughput is not specified for index: {name}")


def require_maxima(request: Entry) -> None:
    """Reject maxima of a CreateTable that is not billed by request, and maxima out of range."""
    on_demand = request.get("BillingMode") == "PAY_PER_REQUEST"
    places = [("", "for table", request.get("OnDemandThroughput"))]
    for index in request.get("GlobalSecondaryIndexes") or ():
        name = index["IndexName"]
        places.append((f"for index: {name} ", f"for index : {name}", index.get("OnDemandThroughput")))
    for place, ranged, maxima in places:
        for name in () if on_demand else _numbers(_MAXIMA, maxima):
            raise ValidationError(
                f"{INVALID}{name} for OnDemandThroughput {place}cannot be specified when table BillingMode is "
                "PROVISIONED."
            )
        require_range(maxima, ranged, lowest=1)


def require_range(maxima: Entry | None, place: str, *, lowest: int) -> None:
    """Reject maxima below `lowest`; in an update, -1 removes a maximum."""
    for name, value in _numbers(_MAXIMA, maxima).items():
        if value < lowest or value == 0:
            raise ValidationError(
                f"{INVALID}Requested {name} for OnDemandThroughput {place} is outside of valid range"
            )


def require_warm_throughput(request: Entry) -> None:
    """Reject a CreateTable that requests less warm throughput than the default."""
    on_demand = request.get("BillingMode") == "PAY_PER_REQUEST"
    places = [("table", request)]
    places += [
        (f"index {index['IndexName']}", index) for index in request.get("GlobalSecondaryIndexes") or ()
    ]
    for place, entry in places:
        initial = _default_warm_throughput(entry, on_demand=on_demand)
        for name, value in _numbers(_WARM_UNITS, entry.get("WarmThroughput")).items():
            if value < initial[name]:
                least = f"initial throughput for OnDemand. See: {_INITIAL}"
                if not on_demand:
                    least = f"{_UNITS[_WARM_UNITS.index(name)]} of ProvisionedThroughput"
                raise ValidationError(
                    f"{INVALID}Requested {name} for WarmThroughput for {place} is lower than {least}"
                )


def require_quota(units: Entry | None, region: str, index: str | None = None) -> None:
    """Reject more units than one table or index of an account may have."""
    for name, value in _numbers(_UNITS, units).items():
        if value > MOST_TABLE_UNITS:
            whose = f" for index {index}" if index else ""
            kind = "index" if index else "table"
            raise LimitExceeded(
                f"The requested {name}{whose}, {value}, is above the per {kind} maximum for the account in {region}. "
                f"Per {kind} maximum: {MOST_TABLE_UNITS}. Refer to the Amazon DynamoDB Developer Guide for current "
                "limits and how to request higher limits."
            )


def throughput(units: Entry | None) -> dict[str, Any]:
    """The `ProvisionedThroughput` member of a description; zeros when billed by request."""
    return {"NumberOfDecreasesToday": 0, **dict.fromkeys(_UNITS, 0), **_numbers(_UNITS, units)}


def maxima_of(requested: Entry | None, current: Entry | None = None) -> dict[str, int]:
    """The `OnDemandThroughput` member: the current maxima with the requested changes; empty when none is left."""
    merged = {**(current or {}), **_numbers(_MAXIMA, requested)}
    return {name: value for name, value in merged.items() if value != -1}


def initial_warm_throughput(entry: Entry, *, on_demand: bool) -> dict[str, Any]:
    """The `WarmThroughput` member of a new table or index."""
    return raised_warm_throughput(
        entry.get("WarmThroughput"), _default_warm_throughput(entry, on_demand=on_demand)
    )


def raised_warm_throughput(requested: Entry | None, current: Entry) -> dict[str, Any]:
    """The `WarmThroughput` member after a change: it never decreases."""
    units = _numbers(_WARM_UNITS, requested)
    warmth: dict[str, Any] = {name: max(current[name], units.get(name, 0)) for name in _WARM_UNITS}
    return {**warmth, "Status": "ACTIVE"}


def warm_throughput_for(units: Entry | None) -> dict[str, int]:
    """The warm throughput of a table or an index with these provisioned units."""
    numbers = _numbers(_UNITS, units)
    return {name: numbers.get(unit, 0) for name, unit in zip(_WARM_UNITS, _UNITS, strict=True)}


def require_different_units(current: Entry, units: Entry, index: str | None = None) -> None:
    """Reject an update to the units that a table or an index already has."""
    if all(int(units[name]) == current[name] for name in _UNITS):
        whose = f"index {index}" if index else "the table"
        values = " ".join(
            f"Current {name} provisioned for {whose}: {current[name]}. Requested {name}: {int(units[name])}."
            for name in _UNITS
        )
        raise ValidationError(
            f"The provisioned throughput for {whose if not index else f'the {whose}'} will not change. The requested "
            f"value equals the current value. {values} Refer to the Amazon DynamoDB Developer Guide for current "
            "limits and how to request higher limits."
        )


def changed_units(current: Entry, units: Entry | None, now: float) -> dict[str, Any]:
    """The `ProvisionedThroughput` member after a change, with the times of the last increase and decrease."""
    numbers = {**dict.fromkeys(_UNITS, 0), **_numbers(_UNITS, units)}
    changed = {**current, **numbers, "NumberOfDecreasesToday": decreases_today(current, now)}
    if any(numbers[name] > current[name] for name in _UNITS):
        changed["LastIncreaseDateTime"] = now
    if any(numbers[name] < current[name] for name in _UNITS):
        changed["LastDecreaseDateTime"] = now
        changed["NumberOfDecreasesToday"] += 1
    return changed


def decreases_today(current: Entry, now: float) -> int:
    """The number of capacity decreases since midnight UTC."""
    last = current.get("LastDecreaseDateTime")
    same_day = last is not None and int(last // _DAY) == int(now // _DAY)
    return int(current["NumberOfDecreasesToday"]) if same_day else 0


def require_decrease_allowed(current: Entry, units: Entry, now: float) -> None:
    """Reject more decreases than AWS allows: four a day, then one an hour."""
    if all(int(units[name]) >= current[name] for name in _UNITS):
        return
    last, count = current.get("LastDecreaseDateTime", 0.0), decreases_today(current, now)
    if count >= FREE_DECREASES and now - last < DECREASE_INTERVAL:
        raise LimitExceeded(
            "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After "
            f"the first {FREE_DECREASES} decreases, each subsequent decrease in the same UTC day can be performed at "
            f"most once every {DECREASE_INTERVAL} seconds. Number of decreases today: {count}. "
            f"Last decrease at {_timestamp(last)}. Next decrease can be made at {_timestamp(last + DECREASE_INTERVAL)}"
        )


def _timestamp(seconds: float) -> str:
    time = datetime.fromtimestamp(seconds, UTC)
    return f"{time:%A, %B} {time.day}, {time.year} {time.hour % 12 or 12}:{time:%M:%S %p} UTC"


def require_increase(requested: Entry | None, current: Entry, place: str) -> None:
    """Reject to decrease the warm throughput of a table or an index."""
    for name, value in _numbers(_WARM_UNITS, requested).items():
        if value < current[name]:
            raise ValidationError(
                f"{INVALID}Requested {name} for WarmThroughput for {place} is lower than current WarmThroughput, "
                "decreasing WarmThroughput is not supported"
            )


def _default_warm_throughput(entry: Entry, *, on_demand: bool) -> dict[str, int]:
    return (
        dict(ON_DEMAND_WARM_THROUGHPUT)
        if on_demand
        else warm_throughput_for(entry.get("ProvisionedThroughput"))
    )


def _numbers(names: tuple[str, str], requested: Entry | None) -> dict[str, int]:
    """The given ones of two numbers."""
    return {name: int(requested[name]) for name in names if requested and requested.get(name) is not None}
