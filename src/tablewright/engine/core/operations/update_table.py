"""UpdateTable: change billing, indexes, encryption, protection or class of a table, one at a time."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tablewright.engine.core.jobs import index_builds, row_removals
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Boolean, Text
from tablewright.engine.core.requests.unsupported import UNSUPPORTED, member_of_feature, members_of_features
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.engine_state import EngineState
from tablewright.engine.core.tables.index_updates import (
    change_indexes,
    perform_indexes,
    require_actions,
)
from tablewright.engine.core.tables.table_definitions import save_change
from tablewright.engine.core.tables.table_descriptions import Description, show
from tablewright.engine.core.tables.table_rules import INVALID
from tablewright.engine.core.tables.table_settings import require_settings
from tablewright.engine.core.tables.table_shapes import (
    ATTRIBUTE_DEFINITIONS,
    BILLING_MODE,
    ENCRYPTION,
    INDEX_UPDATES,
    ON_DEMAND,
    TABLE_NAME,
    THROUGHPUT,
    WARM,
    TableShape,
)
from tablewright.engine.core.tables.table_updates import (
    CHECKED_CHANGES,
    FIRST_CHANGES,
    INDEX_UPDATE_CHECKS,
    INDEX_VETOES,
    LAST_CHANGES,
    OWN_SETTING_CHANGES,
    SETTING_CHANGES,
    SETTING_CHECKS,
    THROUGHPUT_CHANGES,
    UPDATE_CHECKS,
    UPDATE_QUESTIONS,
    TableUpdate,
    require_one_change,
)
from tablewright.engine.core.tables.throughput import NO_UNITS_ON_DEMAND, require_bounds
from tablewright.errors import ValidationError

NAME = "UpdateTable"
MODE = "write"
COUNTS = True
PLANS = True
SHAPE = TableShape(
    AttributeDefinitions=ATTRIBUTE_DEFINITIONS,
    TableName=TABLE_NAME,
    BillingMode=BILLING_MODE,
    ProvisionedThroughput=THROUGHPUT,
    GlobalSecondaryIndexUpdates=INDEX_UPDATES,
    StreamSpecification=member_of_feature("UpdateTable", "StreamSpecification"),
    SSESpecification=ENCRYPTION,
    TableClass=Text(),
    DeletionProtectionEnabled=Boolean(),
    OnDemandThroughput=ON_DEMAND,
    WarmThroughput=WARM,
    **members_of_features("UpdateTable"),
    GlobalTableWitnessUpdates=UNSUPPORTED,
    GlobalTableSettingsReplicationMode=UNSUPPORTED,
    DisassociationProtectionEnabled=UNSUPPORTED,
)


@dataclass(frozen=True, slots=True)
class UpdateTable:
    """Parsed UpdateTable request: the table's name, and the request as sent."""

    table: str
    raw: dict[str, Any]
    answers: Mapping[str, Any]
    """What features asked others before the transaction, by the names of the features."""


def parse(request: dict[str, Any]) -> UpdateTable:
    """From the request to its value; what needs no table is checked here, in AWS's order."""
    require_one_change(request)
    units, mode = request.get("ProvisionedThroughput"), request.get("BillingMode")
    if mode == "PROVISIONED" and not units:
        raise ValidationError(
            f"{INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED"
        )
    if mode == "PAY_PER_REQUEST" and units:
        raise ValidationError(NO_UNITS_ON_DEMAND)
    require_bounds(units)
    require_actions(request.get("GlobalSecondaryIndexUpdates") or ())
    for check in (*INDEX_UPDATE_CHECKS, *SETTING_CHECKS):
        check(request)
    require_settings(request)
    for check in UPDATE_CHECKS:
        check(request)
    return UpdateTable(request["TableName"], request, {})


def prepare(state: EngineState, request: UpdateTable) -> UpdateTable:
    """Ask what the transaction will need to know of others: inside of it nothing is waited for."""
    answers = {name: ask(state, request.raw) for name, ask in UPDATE_QUESTIONS}
    return replace(request, answers=answers)


def run(tx: Writing, request: UpdateTable) -> Reply:
    """Check all changes on a copy of the definition, then write it, then begin to build or remove an index."""
    update = TableUpdate(tx, tx.described(request.table), request.raw, request.answers)
    for change in (
        *FIRST_CHANGES,
        *THROUGHPUT_CHANGES,
        *SETTING_CHANGES,
        *OWN_SETTING_CHANGES,
        *INDEX_VETOES,
        change_indexes,
        *LAST_CHANGES,
    ):
        change(update)
    before = show(tx, update.table)
    for perform in CHECKED_CHANGES:
        perform(update)
    removed = perform_indexes(update)
    table = save_change(tx, update.table, update.definition)
    shown = _shown_during_update(update, before, show(tx, table))
    if removed is not None:
        row_removals.remove_index(tx, table.name, removed)
    elif update.table.definition.get("Building") is None:
        index_builds.begin(tx, table)
    return {"TableDescription": shown}


def _shown_during_update(update: TableUpdate, before: Description, settled: Description) -> Description:
    """The table as the reply shows it: with statuses, and with old values where AWS shows them."""
    shown = {name: value for name, value in {**settled, **update.shown}.items() if value is not None}
    for member in ("GlobalSecondaryIndexes", "VectorIndexes"):
        if member not in shown:
            continue
        old = {index["IndexName"]: index for index in before.get(member, ())}
        shown[member] = [
            {
                **(old[index["IndexName"]] if index["IndexStatus"] == "DELETING" else index),
                **update.shown_indexes.get(index["IndexName"], {}),
            }
            for index in shown[member]
        ]
    return shown
