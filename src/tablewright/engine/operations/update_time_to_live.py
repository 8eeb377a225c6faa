"""UpdateTimeToLive: name the attribute that tells when an item expires, or stop expiring items."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine import ttl
from tablewright.engine.operations.replies import Reply
from tablewright.engine.requests.shapes import Truth, required, structure
from tablewright.engine.sessions import Writing
from tablewright.engine.tables.table_shapes import ATTRIBUTE_NAME, TABLE_NAME, TableShape
from tablewright.errors import ValidationError

NAME = "UpdateTimeToLive"
MODE = "write"
SHAPE = TableShape(
    TableName=TABLE_NAME,
    TimeToLiveSpecification=required(
        structure("TimeToLiveSpecification", AttributeName=ATTRIBUTE_NAME, Enabled=Truth(required=True))
    ),
)


@dataclass(frozen=True, slots=True)
class UpdateTimeToLive:
    """What is asked for."""

    table: str
    attribute: str
    enabled: bool


def parse(request: dict[str, Any]) -> UpdateTimeToLive:
    """From the request to its value."""
    asked = request["TimeToLiveSpecification"]
    return UpdateTimeToLive(request["TableName"], asked["AttributeName"], asked["Enabled"])


def run(tx: Writing, ask: UpdateTimeToLive) -> Reply:
    """Enable or disable; items that are there already are scheduled, or forgotten, at once."""
    catalog = tx.state.catalog
    table = tx.described(ask.table)
    _require_change(table.ttl_attribute, ask)
    specification = {"AttributeName": ask.attribute, "Enabled": ask.enabled}
    definition = dict(table.definition)
    if ask.enabled:
        definition["TimeToLive"] = specification
        ttl.schedule_all(tx, catalog.save(tx.rows, definition))
    else:
        ttl.forget_all(tx, table)
        del definition["TimeToLive"]
        catalog.save(tx.rows, definition)
    return {"TimeToLiveSpecification": specification}


def _require_change(current: str | None, ask: UpdateTimeToLive) -> None:
    if current is not None and current != ask.attribute:
        raise ValidationError(
            f"TimeToLive is active on a different AttributeName: current AttributeName is {current}"
        )
    if (current is not None) == ask.enabled:
        raise ValidationError(f"TimeToLive is already {'enabled' if ask.enabled else 'disabled'}")
