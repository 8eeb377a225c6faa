"""UpdateTimeToLive: set the TTL attribute of a table, or disable TTL."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Boolean, required, structure
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.table_shapes import ATTRIBUTE_NAME, TABLE_NAME, TableShape
from tablewright.engine.features.replicas.shared_settings import note_change
from tablewright.engine.features.ttl import expiry_schedules, ttl
from tablewright.errors import ValidationError

NAME = "UpdateTimeToLive"
MODE = "write"
PLANS = True
SHAPE = TableShape(
    TableName=TABLE_NAME,
    TimeToLiveSpecification=required(
        structure("TimeToLiveSpecification", AttributeName=ATTRIBUTE_NAME, Enabled=Boolean(required=True))
    ),
)


@dataclass(frozen=True, slots=True)
class UpdateTimeToLive:
    """Parsed UpdateTimeToLive request."""

    table: str
    attribute: str
    enabled: bool


def parse(request: dict[str, Any]) -> UpdateTimeToLive:
    """Parse the request."""
    requested = request["TimeToLiveSpecification"]
    return UpdateTimeToLive(request["TableName"], requested["AttributeName"], requested["Enabled"])


def run(tx: Writing, request: UpdateTimeToLive) -> Reply:
    """Enable or disable TTL; a job schedules the expiry of existing items, or removes the schedule."""
    catalog = tx.state.catalog
    table = tx.described(request.table)
    _require_change(table.ttl_attribute, request)
    specification = {"AttributeName": request.attribute, "Enabled": request.enabled}
    definition = dict(table.definition)
    if request.enabled:
        ttl.enable(tx, definition, specification)
    else:
        expiry_schedules.disable(tx, table, definition)
    saved = catalog.save(tx.rows, note_change(table.definition, definition, tx.now(), tx.state.region))
    if request.enabled:
        expiry_schedules.begin(tx, saved)
    return {"TimeToLiveSpecification": specification}


def _require_change(current: str | None, request: UpdateTimeToLive) -> None:
    if current is not None and current != request.attribute:
        raise ValidationError(
            f"TimeToLive is active on a different AttributeName: current AttributeName is {current}"
        )
    if (current is not None) == request.enabled:
        raise ValidationError(f"TimeToLive is already {'enabled' if request.enabled else 'disabled'}")
