"""Restore overrides: the settings in which a restored table differs from its source, and its description."""

from collections.abc import Sequence
from typing import Any

from tablewright.dynamodb.values.vectors import vector_index_definition
from tablewright.engine.core.requests.shapes import ListOf
from tablewright.engine.core.requests.unsupported import member_of_feature
from tablewright.engine.core.tables.table_descriptions import describe_new
from tablewright.engine.core.tables.table_rules import INVALID, ON_DEMAND_ONLY, Entry, names_of
from tablewright.engine.core.tables.table_settings import require_encryption
from tablewright.engine.core.tables.table_shapes import (
    BILLING_MODE,
    ENCRYPTION,
    GLOBAL_INDEX,
    LOCAL_INDEX,
    ON_DEMAND,
    THROUGHPUT,
)
from tablewright.engine.core.tables.throughput import maxima_of
from tablewright.engine.features.backups.backups import billing_mode
from tablewright.errors import ValidationError

SHAPES: dict[str, Any] = {
    "BillingModeOverride": BILLING_MODE,
    "GlobalSecondaryIndexOverride": ListOf(GLOBAL_INDEX),
    "LocalSecondaryIndexOverride": ListOf(LOCAL_INDEX),
    "ProvisionedThroughputOverride": THROUGHPUT,
    "OnDemandThroughputOverride": ON_DEMAND,
    "SSESpecificationOverride": ENCRYPTION,
    "VectorIndexOverride": member_of_feature("CreateTable", "VectorIndexes"),
}

_REQUEST = "Invalid Request: "


def describe(request: Entry, source: Entry, region: str, now: float, operation: str) -> dict[str, Any]:
    """The description of the restored table, from that of the source; raises ValidationError for bad overrides."""
    mode = request.get("BillingModeOverride") or billing_mode(dict(source))
    _require_billing(request, mode)
    require_encryption(request.get("SSESpecificationOverride"))
    local_indexes = _chosen(request, "Local", source)
    global_indexes = _chosen(request, "Global", source)
    vector_indexes = _chosen_vector_indexes(request, source)
    _require_index_billing(request, global_indexes, mode, operation)
    if vector_indexes and mode != "PAY_PER_REQUEST":
        raise ValidationError(ON_DEMAND_ONLY)
    schemas = [
        source["KeySchema"],
        *(index["KeySchema"] for index in (*local_indexes, *global_indexes)),
        *(index.get("SearchSchema") or () for index in vector_indexes),
    ]
    used = {name for schema in schemas for name in names_of(schema)}
    parameters = {
        "TableName": request["TargetTableName"],
        "AttributeDefinitions": [
            attribute for attribute in source["AttributeDefinitions"] if attribute["AttributeName"] in used
        ],
        "KeySchema": source["KeySchema"],
        "BillingMode": mode,
        "LocalSecondaryIndexes": local_indexes,
        "GlobalSecondaryIndexes": global_indexes,
        "VectorIndexes": vector_indexes,
        "SSESpecification": request.get("SSESpecificationOverride"),
        **_table_billing(request, source, mode),
    }
    description = describe_new(parameters, region, now)
    if request.get("SSESpecificationOverride") is None and "SSEDescription" in source:
        description["SSEDescription"] = source["SSEDescription"]
    return description


def _table_billing(request: Entry, source: Entry, mode: str) -> dict[str, Any]:
    if mode == "PROVISIONED":
        return {
            "ProvisionedThroughput": request.get("ProvisionedThroughputOverride")
            or source["ProvisionedThroughput"]
        }
    return {
        "OnDemandThroughput": request.get("OnDemandThroughputOverride") or source.get("OnDemandThroughput")
    }


def _require_billing(request: Entry, mode: str) -> None:
    requested, units = request.get("BillingModeOverride"), request.get("ProvisionedThroughputOverride")
    if units and requested == "PAY_PER_REQUEST":
        raise ValidationError(
            f"{_REQUEST}Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST"
        )
    if units and mode != "PROVISIONED":
        raise ValidationError(
            f"{_REQUEST}Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED"
        )
    if requested == "PROVISIONED" and not units:
        raise ValidationError(
            f"{_REQUEST}Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED"
        )
    for name, value in maxima_of(request.get("OnDemandThroughputOverride")).items():
        if mode != "PAY_PER_REQUEST":
            raise ValidationError(
                f"{_REQUEST}Cannot override {name} for OnDemandThroughput unless BillingModeOverride is "
                "PAY_PER_REQUEST"
            )
        if value < 1:
            raise ValidationError(
                f"{_REQUEST}Requested {name} for OnDemandThroughput is outside of valid range"
            )


def _chosen(request: Entry, kind: str, source: Entry) -> list[dict[str, Any]]:
    """The indexes to create: those of the source, or the ones that the request lists, with its names for them."""
    known = source.get(f"{kind}SecondaryIndexes", [])
    overrides = request.get(f"{kind}SecondaryIndexOverride")
    if overrides is None:
        return [dict(index) for index in known]
    for index in overrides:
        if not any(_matches(index, source) for source in known):
            raise ValidationError(
                f"{_REQUEST}Index {index['IndexName']} does not match a secondary index that existed in the "
                "source table and cannot be created during the restore operation"
            )
    return [dict(index) for index in overrides]


def _chosen_vector_indexes(request: Entry, source: Entry) -> list[dict[str, Any]]:
    known = [vector_index_definition(index) for index in source.get("VectorIndexes", ())]
    overrides = request.get("VectorIndexOverride")
    if overrides is None:
        return known
    for index in overrides:
        if _settings(index) not in map(_settings, known):
            raise ValidationError(
                f"{_REQUEST}Index {index['IndexName']} does not match a vector index that existed in the source "
                "table and cannot be created during the restore operation"
            )
    return [dict(index) for index in overrides]


def _settings(index: Entry) -> dict[str, Any]:
    """What an override and the index of the source must have in common: all but the name."""
    settings = {name: value for name, value in vector_index_definition(index).items() if name != "IndexName"}
    return settings | {"Projection": _projection(index), "Dimensions": int(index["Dimensions"])}


def _matches(override: Entry, index: Entry) -> bool:
    return override["KeySchema"] == index["KeySchema"] and _projection(override) == _projection(index)


def _projection(index: Entry) -> tuple[Any, list[str]]:
    projection = index["Projection"]
    return projection.get("ProjectionType"), sorted(projection.get("NonKeyAttributes") or ())


def _require_index_billing(
    request: Entry, indexes: Sequence[dict[str, Any]], mode: str, operation: str
) -> None:
    """Check the throughput of global indexes; indexes of the source are adapted to the billing mode."""
    listed = request.get("GlobalSecondaryIndexOverride") is not None
    for index in indexes:
        name, units = index["IndexName"], index.get("ProvisionedThroughput")
        if listed and index.get("WarmThroughput"):
            raise ValidationError(
                f"{INVALID}WarmThroughput is not supported on Global Secondary Indexes via {operation}"
            )
        if listed and units and mode == "PAY_PER_REQUEST":
            raise ValidationError(
                f"{_REQUEST}Cannot override ProvisionedThroughput for index {name} if BillingMode is "
                "overridden to PAY_PER_REQUEST"
            )
        if mode == "PROVISIONED" and not (units and units["ReadCapacityUnits"]):
            raise ValidationError(f"{_REQUEST}Must specify provisioned throughput for index {name}")
        index.pop("WarmThroughput", None)
        if mode == "PAY_PER_REQUEST":
            index.pop("ProvisionedThroughput", None)
        else:
            index.pop("OnDemandThroughput", None)
