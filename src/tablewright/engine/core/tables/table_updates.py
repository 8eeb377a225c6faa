"""Table updates: the changes of one UpdateTable request, applied to the table's definition.

A request changes one setting: AWS rejects most combinations. Everything is checked, on a copy of the definition, before
anything is written. The reply shows the change under way: statuses, and the old values where AWS shows them.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from tablewright.engine.core.plugs import Plug
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.engine_state import EngineState
from tablewright.engine.core.tables.table_descriptions import on_demand_since
from tablewright.engine.core.tables.table_rules import INVALID, Entry
from tablewright.engine.core.tables.table_settings import describe_encryption, is_encryption_requested
from tablewright.engine.core.tables.throughput import (
    NO_UNITS_ON_DEMAND,
    ON_DEMAND_WARM_THROUGHPUT,
    changed_units,
    maxima_of,
    raised_warm_throughput,
    require_decrease_allowed,
    require_different_units,
    require_increase,
    require_quota,
    require_range,
    throughput,
    warm_throughput_for,
)
from tablewright.errors import ValidationError

_REQUIRED = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
    "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
    "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"
)
_OPERATIONS = (
    "ProvisionedThroughput",
    "BillingMode",
    "StreamSpecification",
    "GlobalSecondaryIndexUpdates",
    "VectorIndexUpdates",
    "SSESpecification",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
    "WarmThroughput",
    "TableClass",
    "ReplicaUpdates",
)
# In the order in which AWS names them when several are there.
_ALONE = (
    ("ReplicaUpdates", "Replica modification"),
    ("SSESpecification", "Server-Side Encryption modification"),
    ("TableClass", "TableClass modification"),
    ("DeletionProtectionEnabled", "DeletionProtection modification"),
    ("WarmThroughput", "WarmThroughput"),
)


def require_one_change(request: Entry) -> None:
    """Reject a request that changes nothing, or too much at once."""
    present = [name for name in _OPERATIONS if request.get(name) not in (None, {}, [])]
    if request.get("SSESpecification") == {}:
        present.append("SSESpecification")
    if not present:
        raise ValidationError(_REQUIRED)
    if request.get("GlobalSecondaryIndexUpdates") == []:
        raise ValidationError(f"{INVALID}List of GlobalSecondaryIndexUpdates is empty")
    if request.get("VectorIndexUpdates") == []:
        raise ValidationError(f"{INVALID}List of VectorIndexUpdates is empty")
    updates = [
        *(request.get("GlobalSecondaryIndexUpdates") or ()),
        *(request.get("VectorIndexUpdates") or ()),
    ]
    rebuilds = any(update and (update.get("Create") or update.get("Delete")) for update in updates)
    if "WarmThroughput" in present and any(update and update.get("Create") for update in updates):
        raise ValidationError(
            f"{INVALID}Create global secondary index cannot be specified when updating WarmThroughput"
        )
    for name, words in _ALONE:
        if name in present and len(present) > 1:
            raise ValidationError(f"{INVALID}{words} must be the only operation in the request")
    if "OnDemandThroughput" in present and set(present) - {"OnDemandThroughput", "BillingMode"}:
        raise ValidationError(
            f"{INVALID}OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"
        )
    _require_units_alone(request, rebuilds=rebuilds)


def _require_units_alone(request: Entry, *, rebuilds: bool) -> None:
    units = request.get("ProvisionedThroughput") or request.get("BillingMode") == "PROVISIONED"
    streams = request.get("StreamSpecification")
    if streams and units:
        raise ValidationError(f"{INVALID}You cannot modify stream status while updating table IOPS")
    if rebuilds and streams:
        raise ValidationError(f"{INVALID}You cannot create or delete index while changing stream status")
    if rebuilds and units:
        raise ValidationError(f"{INVALID}You cannot create or delete index while updating table IOPS")


class TableUpdate:
    """A table during an update: its new definition, and the members that only the reply shows."""

    def __init__(
        self, tx: Writing, table: StoredTable, request: Entry, answers: Mapping[str, Any] | None = None
    ) -> None:
        self.tx = tx
        self.answers = answers or {}
        """What features asked others before the transaction, by the names of the features."""
        self.table = table
        self.request = request
        self.now = round(tx.now(), 3)
        self.definition: dict[str, Any] = deepcopy(table.definition)
        self.description: dict[str, Any] = self.definition["Description"]
        self.shown: dict[str, Any] = {}
        """Members of the reply that differ from the final description."""
        self.shown_indexes: dict[str, dict[str, Any]] = {}
        """The same, by global index."""

    @property
    def was_on_demand(self) -> bool:
        """Whether the table is billed by request before the change."""
        summary = self.table.description.get("BillingModeSummary", {})
        return bool(summary.get("BillingMode") == "PAY_PER_REQUEST")

    @property
    def is_on_demand(self) -> bool:
        """Whether the table is billed by request after the change."""
        mode = self.request.get("BillingMode")
        return mode == "PAY_PER_REQUEST" if mode else self.was_on_demand

    @property
    def indexes(self) -> list[dict[str, Any]]:
        """The global indexes after the change."""
        return self.description.get("GlobalSecondaryIndexes", [])  # type: ignore[no-any-return]

    @property
    def vector_indexes(self) -> list[dict[str, Any]]:
        """The vector indexes after the change."""
        return self.description.get("VectorIndexes", [])  # type: ignore[no-any-return]

    def show_index(self, name: str, members: dict[str, Any]) -> None:
        """Show these members of an index in the reply."""
        self.shown_indexes.setdefault(name, {}).update(members)


def change_billing(update: TableUpdate) -> None:
    """BillingMode and ProvisionedThroughput."""
    units, mode = update.request.get("ProvisionedThroughput"), update.request.get("BillingMode")
    if units and update.is_on_demand:
        raise ValidationError(NO_UNITS_ON_DEMAND)
    require_quota(units, update.tx.state.region)
    if mode or units:
        update.shown["TableStatus"] = "UPDATING"
    if mode and update.is_on_demand and not update.was_on_demand:
        _bill_by_request(update)
    elif units and update.was_on_demand:
        _provision(update, units)
    elif units:
        _change_units(update, units)


def _bill_by_request(update: TableUpdate) -> None:
    update.description["BillingModeSummary"] = on_demand_since(update.now)
    update.shown["BillingModeSummary"] = {"BillingMode": "PAY_PER_REQUEST"}
    update.description["ProvisionedThroughput"] = throughput(None)
    for entry in (update.description, *update.indexes):
        entry["WarmThroughput"] = raised_warm_throughput(ON_DEMAND_WARM_THROUGHPUT, entry["WarmThroughput"])
    for index in update.indexes:
        index["ProvisionedThroughput"] = changed_units(index["ProvisionedThroughput"], None, update.now)
        update.show_index(index["IndexName"], {"IndexStatus": "UPDATING"})


def _provision(update: TableUpdate, units: Entry) -> None:
    requested = {
        change["Update"]["IndexName"]
        for change in update.request.get("GlobalSecondaryIndexUpdates") or ()
        if change.get("Update") and change["Update"].get("ProvisionedThroughput")
    }
    missing = [index["IndexName"] for index in update.indexes if index["IndexName"] not in requested]
    if missing:
        raise ValidationError(
            f"{INVALID}ProvisionedThroughput must be specified for index: {','.join(missing)}"
        )
    update.description["BillingModeSummary"] |= {"BillingMode": "PROVISIONED"}
    update.description["ProvisionedThroughput"] = throughput(units)
    for entry in (update.description, *update.indexes):
        entry.pop("OnDemandThroughput", None)
    _warm(update.description, units)


def _change_units(update: TableUpdate, units: Entry) -> None:
    old = update.description["ProvisionedThroughput"]
    require_different_units(old, units)
    require_decrease_allowed(old, units, update.now)
    update.description["ProvisionedThroughput"] = new = changed_units(old, units, update.now)
    update.shown["ProvisionedThroughput"] = {
        **new,
        **{name: old[name] for name in ("ReadCapacityUnits", "WriteCapacityUnits", "NumberOfDecreasesToday")},
    }
    _warm(update.description, units)


def _warm(entry: dict[str, Any], units: Entry) -> None:
    entry["WarmThroughput"] = raised_warm_throughput(warm_throughput_for(units), entry["WarmThroughput"])


def change_maxima(update: TableUpdate) -> None:
    """OnDemandThroughput."""
    requested = update.request.get("OnDemandThroughput")
    if requested:
        set_maxima(update, update.description, "for table", "", requested)


def set_maxima(update: TableUpdate, entry: dict[str, Any], place: str, whose: str, requested: Entry) -> None:
    """New maxima for a table or an index that is billed by request."""
    for name in () if update.is_on_demand else maxima_of(requested):
        raise ValidationError(
            f"{INVALID}{name} for OnDemandThroughput {whose}cannot be specified when the table BillingMode is "
            "PROVISIONED"
        )
    require_range(requested, place, lowest=-1)
    maxima = maxima_of(requested, entry.pop("OnDemandThroughput", None))
    if maxima:
        entry["OnDemandThroughput"] = maxima


def change_warm_throughput(update: TableUpdate) -> None:
    """WarmThroughput."""
    requested = update.request.get("WarmThroughput")
    if requested:
        old = update.description["WarmThroughput"]
        require_increase(requested, old, "table")
        update.description["WarmThroughput"] = raised_warm_throughput(requested, old)
        update.shown["WarmThroughput"] = {**old, "Status": "UPDATING"}


def change_encryption(update: TableUpdate) -> None:
    """SSESpecification."""
    requested = update.request.get("SSESpecification")
    if requested is None:
        return
    old = update.description.pop("SSEDescription", None)
    if is_encryption_requested(requested):
        if old and requested.get("KMSMasterKeyId") == old["KMSMasterKeyArn"]:
            raise ValidationError(
                f"{INVALID}Table is already encrypted with given KMSMasterKeyId. "
                "Use KMSMasterKeyId parameter if you want to change Master Key"
            )
        update.description["SSEDescription"] = describe_encryption(requested, update.tx.state.region)
    elif old is None:
        raise ValidationError(f"{INVALID}Table is already encrypted by default")
    update.shown["SSEDescription"] = {**(old or {}), "Status": "UPDATING"}


def change_class(update: TableUpdate) -> None:
    """TableClass."""
    requested = update.request.get("TableClass")
    if requested is None:
        return
    update.shown["TableStatus"] = "UPDATING"
    old = update.description.get("TableClassSummary")
    if requested == (old or {"TableClass": "STANDARD"})["TableClass"]:
        return
    update.description["TableClassSummary"] = {"TableClass": requested, "LastUpdateDateTime": update.now}
    update.shown["TableClassSummary"] = old


def change_protection(update: TableUpdate) -> None:
    """DeletionProtectionEnabled."""
    requested = update.request.get("DeletionProtectionEnabled")
    if requested is not None:
        update.description["DeletionProtectionEnabled"] = requested


UPDATE_CHECKS: Plug[Callable[[Mapping[str, Any]], None]] = Plug()
"""Checks of an UpdateTable request that need no table; the last ones."""
UPDATE_QUESTIONS: Plug[tuple[str, Callable[[EngineState, Entry], Any]]] = Plug()
"""The name of a feature, and what it asks others before the transaction of an UpdateTable request."""
INDEX_UPDATE_CHECKS: Plug[Callable[[Mapping[str, Any]], None]] = Plug()
"""Checks of the updates of indexes of another kind, right after those of global indexes."""
INDEX_VETOES: Plug[Callable[[TableUpdate], None]] = Plug()
"""Rejects updates of indexes before the core checks its own."""
SETTING_CHECKS: Plug[Callable[[Mapping[str, Any]], None]] = Plug()
"""Checks of settings in an UpdateTable request, before those of encryption and class."""
SETTING_CHANGES: Plug[Callable[[TableUpdate], None]] = Plug()
"""Changes of settings of features, which come after those of throughput."""
CHECKED_CHANGES: Plug[Callable[[TableUpdate], None]] = Plug()
"""Called when all changes of a request are checked, before the definition is saved."""
LAST_CHANGES: Plug[Callable[[TableUpdate], None]] = Plug()
"""Changes of features that come after those of the core, as on AWS."""
FIRST_CHANGES: Plug[Callable[[TableUpdate], None]] = Plug()
"""Changes of features that come before those of the core, as on AWS."""
THROUGHPUT_CHANGES = (change_billing, change_maxima, change_warm_throughput)
OWN_SETTING_CHANGES = (change_encryption, change_class, change_protection)
