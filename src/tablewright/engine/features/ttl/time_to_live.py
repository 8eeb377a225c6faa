"""UpdateTimeToLive and DescribeTimeToLive: the TTL attribute of a table."""

from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.shapes import Boolean, required, structure
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.tables.table_definitions import save_change
from tablewright.engine.core.tables.table_shapes import ATTRIBUTE_NAME, TABLE_NAME, TableShape
from tablewright.engine.features.ttl.expiry_sweeps import attribute_of, begin, disable, enable
from tablewright.errors import ValidationError


@dataclass(frozen=True, slots=True)
class UpdateTimeToLive:
    """Parsed UpdateTimeToLive request."""

    table: str
    attribute: str
    enabled: bool


def _parse_update(request: dict[str, Any]) -> UpdateTimeToLive:
    requested = request["TimeToLiveSpecification"]
    return UpdateTimeToLive(request["TableName"], requested["AttributeName"], requested["Enabled"])


def _update(tx: Writing, request: UpdateTimeToLive) -> Reply:
    """Enable or disable TTL; a job schedules the expiry of existing items, or removes the schedule."""
    table = tx.described(request.table)
    _require_change(attribute_of(table.definition), request)
    specification = {"AttributeName": request.attribute, "Enabled": request.enabled}
    definition = dict(table.definition)
    if request.enabled:
        enable(tx, definition, specification)
    else:
        disable(tx, table, definition)
    saved = save_change(tx, table, definition)
    if request.enabled:
        begin(tx, saved)
    return {"TimeToLiveSpecification": specification}


def _require_change(current: str | None, request: UpdateTimeToLive) -> None:
    if current is not None and current != request.attribute:
        raise ValidationError(
            f"TimeToLive is active on a different AttributeName: current AttributeName is {current}"
        )
    if (current is not None) == request.enabled:
        raise ValidationError(f"TimeToLive is already {'enabled' if request.enabled else 'disabled'}")


def _describe(tx: Reading, request: str) -> Reply:
    """The TTL status, with its attribute when enabled."""
    attribute = attribute_of(tx.described(request).definition)
    if attribute is None:
        return {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    return {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": attribute}}


OPERATIONS = (
    Operation(
        "UpdateTimeToLive",
        TableShape(
            TableName=TABLE_NAME,
            TimeToLiveSpecification=required(
                structure(
                    "TimeToLiveSpecification", AttributeName=ATTRIBUTE_NAME, Enabled=Boolean(required=True)
                )
            ),
        ),
        "write",
        _parse_update,
        _update,
        plans_job=True,
    ),
    Operation(
        "DescribeTimeToLive", TableShape(TableName=TABLE_NAME), "read", itemgetter("TableName"), _describe
    ),
)
