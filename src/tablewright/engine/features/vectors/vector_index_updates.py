"""Vector index updates: vector indexes that UpdateTable creates or deletes, one at a time."""

from collections.abc import Sequence

from tablewright.dynamodb.limits import MAX_VECTOR_INDEXES
from tablewright.engine.core.tables.index_updates import define, forget_unused, types_of
from tablewright.engine.core.tables.table_definitions import is_shared
from tablewright.engine.core.tables.table_rules import INVALID, ON_DEMAND_ONLY, Entry, require_few_projected
from tablewright.engine.core.tables.table_updates import TableUpdate
from tablewright.engine.features.vectors.vector_index_rules import (
    describe_vector_index,
    require_same_dimensions,
    require_vector_index,
)
from tablewright.errors import LimitExceeded, ResourceInUse, ResourceNotFound, ValidationError


def require_vector_actions(request: Entry) -> None:
    """Reject updates that do not each contain one action."""
    for update in request.get("VectorIndexUpdates") or ():
        actions = [name for name in ("Create", "Delete") if update.get(name) is not None]
        if not actions:
            raise ValidationError(
                f"{INVALID}One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null"
            )
        if len(actions) > 1:
            raise ValidationError(
                f"{INVALID}Only one vector index action is allowed per VectorIndexUpdate object"
            )


def require_not_being_created(update: TableUpdate) -> None:
    """Reject the creation of a vector index that is being created."""
    for action in update.request.get("VectorIndexUpdates") or ():
        name = (action.get("Create") or {}).get("IndexName")
        if name is not None and name == update.definition.get("Building"):
            raise ResourceInUse(
                "Attempt to change a resource which is still in use: Index is being created.  "
                f"Table: {update.table.name} Index: {name}"
            )


def change_vector_indexes(update: TableUpdate) -> None:
    """VectorIndexUpdates: check all, and update the descriptions of the indexes."""
    updates = update.request.get("VectorIndexUpdates") or ()
    if updates and is_shared(update.table):
        raise ValidationError(
            "VectorIndexUpdates of a table with replicas is not implemented by Tablewright; delete the replicas, "
            "change the vector indexes, then create the replicas again"
        )
    for action in updates:
        if action.get("Create"):
            _create(update, action["Create"])
        else:
            _delete(update, action["Delete"]["IndexName"])
    if update.vector_indexes and not update.is_on_demand:
        raise ValidationError(ON_DEMAND_ONLY)


def _create(update: TableUpdate, requested: Entry) -> None:
    name, existing = requested["IndexName"], update.vector_indexes
    if not update.is_on_demand:
        raise ValidationError(ON_DEMAND_ONLY)
    if any(index.name == name for index in update.table.all_indexes):
        raise ValidationError("Attempting to create an index which already exists")
    definitions = update.request.get("AttributeDefinitions") or ()
    require_vector_index(requested, definitions)
    _require_no_key(update, requested)
    _require_same_types(update, requested, definitions)
    if len(existing) >= MAX_VECTOR_INDEXES:
        raise LimitExceeded(
            "Subscriber limit exceeded: Number of vector secondary indexes exceeds per-table limit of "
            f"{MAX_VECTOR_INDEXES}"
        )
    require_same_dimensions(requested, existing)
    require_few_projected(
        [
            *update.description.get("LocalSecondaryIndexes", ()),
            *update.indexes,
            *existing,
            requested,
        ]
    )
    entry = describe_vector_index(requested, update.description["TableArn"])
    update.description["VectorIndexes"] = [*existing, entry]
    define(update, requested.get("SearchSchema") or (), definitions)
    update.shown["TableStatus"] = "UPDATING"
    update.show_index(name, {"IndexStatus": "CREATING", "Backfilling": False})


def _require_no_key(update: TableUpdate, requested: Entry) -> None:
    """Reject a vector attribute that is the key of the table or of an index."""
    attribute = requested["VectorAttribute"]["AttributeName"]
    known = types_of(update.description["AttributeDefinitions"])
    if attribute not in known:
        return
    schemas = [update.description["KeySchema"]]
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        schemas += [index["KeySchema"] for index in update.description.get(member, ())]
    kind = next(
        (key["KeyType"] for schema in schemas for key in schema if key["AttributeName"] == attribute), "HASH"
    )
    _reject_redefinition(
        f"Schema:[SchemaElement: key{{{attribute}:{known[attribute]}:{kind}}}]",
        f"VectorIndexSchema:[VectorAttribute: key{{{attribute}:L:{requested['Dimensions']}}}]",
    )


def _require_same_types(update: TableUpdate, requested: Entry, definitions: Sequence[Entry]) -> None:
    """Reject another type for an attribute that is already defined, or is a vector."""
    known, types = types_of(update.description["AttributeDefinitions"]), types_of(definitions)
    vectors = {
        index["VectorAttribute"]["AttributeName"]: index["Dimensions"] for index in update.vector_indexes
    }
    for element in requested.get("SearchSchema") or ():
        name, kind = element["AttributeName"], element["SearchSchemaElementType"]
        new = f"Schema:[SchemaElement: key{{{name}:{types[name]}:{kind}}}]"
        if name in vectors:
            _reject_redefinition(f"VectorIndexSchema:[VectorAttribute: key{{{name}:L:{vectors[name]}}}]", new)
        if known.get(name, types[name]) != types[name]:
            _reject_redefinition(f"Schema:[SchemaElement: key{{{name}:{known[name]}:{kind}}}]", new)


def _reject_redefinition(old: str, new: str) -> None:
    raise ValidationError(
        f"{INVALID}Attributes cannot be redefined. Please check that your attribute has the same type as previously "
        f"defined. Existing schema: {old} New schema: {new}"
    )


def _delete(update: TableUpdate, name: str) -> None:
    left = [index for index in update.vector_indexes if index["IndexName"] != name]
    if len(left) == len(update.vector_indexes):
        raise ResourceNotFound(f"Requested resource not found: Index {name} for table {update.table.name}")
    update.description["VectorIndexes"] = left
    if not left:
        del update.description["VectorIndexes"]
    forget_unused(update)
    update.shown["TableStatus"] = "UPDATING"
    update.show_index(name, {"IndexStatus": "DELETING"})
