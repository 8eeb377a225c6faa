"""Index updates: global indexes that UpdateTable creates, changes or deletes, one creation or deletion at a time."""

from collections.abc import Iterator, Sequence
from typing import Any

from tablewright.engine.core.tables.table_descriptions import describe_definitions, describe_global_index
from tablewright.engine.core.tables.table_rules import (
    INVALID,
    MOST_GLOBAL_INDEXES,
    Entry,
    names_of,
    require_defined,
    require_few_projected,
    require_global_keys,
    require_projection,
)
from tablewright.engine.core.tables.table_updates import TableUpdate, set_maxima
from tablewright.engine.core.tables.throughput import (
    LARGEST_VALUE,
    changed_units,
    raised_warm_throughput,
    require_decrease_allowed,
    require_different_units,
    require_increase,
    require_quota,
    throughput,
    warm_throughput_for,
)
from tablewright.errors import LimitExceeded, ResourceNotFound, ValidationError

_ACTIONS = ("Update", "Create", "Delete")


def require_actions(updates: Sequence[Entry]) -> None:
    """Reject updates that do not each contain one action on one index."""
    taken: set[str] = set()
    for update in updates:
        actions = [update[name] for name in _ACTIONS if update.get(name) is not None]
        if not actions:
            raise ValidationError(
                f"{INVALID}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                "GlobalSecondaryIndexUpdate.Delete must not be null"
            )
        if len(actions) > 1:
            raise ValidationError(
                f"{INVALID}Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object"
            )
        name = actions[0]["IndexName"]
        if name in taken:
            raise ValidationError(
                f"{INVALID}Only one global secondary index update per index is allowed simultaneously. Index: {name}"
            )
        taken.add(name)
        if actions[0].get("WarmThroughput") == {} and update.get("Update"):
            raise ValidationError(
                f"{INVALID}WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond "
                f"specified for index: {name}"
            )


def change_indexes(update: TableUpdate) -> None:
    """GlobalSecondaryIndexUpdates: check all, and update the descriptions of the indexes."""
    updates = update.request.get("GlobalSecondaryIndexUpdates") or ()
    _require_one_at_a_time(update, [*updates, *(update.request.get("VectorIndexUpdates") or ())])
    for action in updates:
        if action.get("Update"):
            _change(update, action["Update"])
        elif action.get("Create"):
            _create(update, action["Create"])
        else:
            _delete(update, action["Delete"]["IndexName"])


def _require_one_at_a_time(update: TableUpdate, updates: Sequence[Entry]) -> None:
    """Reject a second creation or deletion, except the deletion of the index that is being built."""
    online = [action for action in updates if action.get("Create") or action.get("Delete")]
    building = update.definition.get("Building")
    is_busy = building is not None or "Deleting" in update.definition
    cancels = [
        action for action in online if action.get("Delete") and action["Delete"]["IndexName"] == building
    ]
    if len(online) > 1 or (online and is_busy and not cancels):
        raise LimitExceeded(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
        )


def _find(update: TableUpdate, name: str, verb: str) -> dict[str, Any]:
    for index in update.indexes:
        if index["IndexName"] == name:
            return index
    if update.table.index(name):
        raise ValidationError(f"Cannot {verb} an index that is not a GlobalSecondaryIndex: {name}")
    raise ResourceNotFound(f"Requested resource not found: Index {name} for table {update.table.name}")


def _change(update: TableUpdate, requested: Entry) -> None:
    name, units = requested["IndexName"], requested.get("ProvisionedThroughput")
    if units and max(units.values()) > LARGEST_VALUE:
        raise ValidationError(
            "This operation cannot be performed with given input values. Please contact DynamoDB service team for "
            "more info: Action Blocked: IndexUpdate"
        )
    index = _find(update, name, "update")
    if update.is_on_demand and (
        units or not (requested.get("OnDemandThroughput") or requested.get("WarmThroughput"))
    ):
        raise ValidationError(
            f"{INVALID}The only Updates for index: {name} when TableThroughputMode is PAY_PER_REQUEST can be to "
            "OnDemandThroughput, WarmThroughput"
        )
    require_quota(units, update.tx.state.region, name)
    update.show_index(name, {"IndexStatus": "UPDATING"})
    if units:
        _change_units(update, index, units)
    if requested.get("OnDemandThroughput"):
        set_maxima(
            update, index, f"for index : {name}", f"for index : {name} ", requested["OnDemandThroughput"]
        )
    if requested.get("WarmThroughput"):
        old = index["WarmThroughput"]
        require_increase(requested["WarmThroughput"], old, f"index {name}")
        index["WarmThroughput"] = raised_warm_throughput(requested["WarmThroughput"], old)
        update.show_index(name, {"IndexStatus": "ACTIVE", "WarmThroughput": {**old, "Status": "UPDATING"}})


def _change_units(update: TableUpdate, index: dict[str, Any], units: Entry) -> None:
    old = index["ProvisionedThroughput"]
    if update.was_on_demand:
        index["ProvisionedThroughput"] = throughput(units)
    else:
        require_different_units(old, units, index["IndexName"])
        require_decrease_allowed(old, units, update.now)
        index["ProvisionedThroughput"] = changed_units(old, units, update.now)
        update.show_index(index["IndexName"], {"ProvisionedThroughput": old})
    index["WarmThroughput"] = raised_warm_throughput(warm_throughput_for(units), index["WarmThroughput"])


def _create(update: TableUpdate, requested: Entry) -> None:
    name, units = requested["IndexName"], requested.get("ProvisionedThroughput")
    if any(index.name == name for index in update.table.all_indexes):
        raise ValidationError("Attempting to create an index which already exists")
    definitions = update.request.get("AttributeDefinitions")
    if not definitions:
        raise ValidationError(f"{INVALID}AttributeDefinitions is not specified for index: {name}")
    require_defined(requested["KeySchema"], names_of(definitions))
    require_global_keys(requested["KeySchema"])
    require_projection(requested["Projection"])
    _require_same_types(update, requested["KeySchema"], definitions)
    _require_no_vectors(update, requested["KeySchema"], definitions)
    if update.is_on_demand and units:
        raise ValidationError(
            f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {name} when "
            "BillingMode is PAY_PER_REQUEST"
        )
    if not update.is_on_demand and not units:
        raise ValidationError(
            f"{INVALID}Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {name}"
        )
    require_quota(units, update.tx.state.region, name)
    if len(update.indexes) >= MOST_GLOBAL_INDEXES:
        raise LimitExceeded(
            "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of "
            f"{MOST_GLOBAL_INDEXES}"
        )
    require_few_projected(
        [
            *update.description.get("LocalSecondaryIndexes", ()),
            *update.indexes,
            *update.vector_indexes,
            requested,
        ]
    )
    entry = describe_global_index(requested, update.description["TableArn"], on_demand=update.is_on_demand)
    update.description["GlobalSecondaryIndexes"] = [*update.indexes, entry]
    define(update, requested["KeySchema"], definitions)
    update.shown["TableStatus"] = "UPDATING"
    update.show_index(name, {"IndexStatus": "CREATING", "Backfilling": False})


def _require_same_types(update: TableUpdate, keys: Sequence[Entry], definitions: Sequence[Entry]) -> None:
    """Reject another type for an attribute that is already a key."""
    known = types_of(update.description["AttributeDefinitions"])
    types = types_of(definitions)
    for key in keys:
        name, kind = key["AttributeName"], key["KeyType"]
        if known.get(name, types[name]) != types[name]:
            old, new = (
                f"Schema:[SchemaElement: key{{{name}:{type_name}:{kind}}}]"
                for type_name in (known[name], types[name])
            )
            raise ValidationError(
                f"{INVALID}Attributes cannot be redefined. Please check that your attribute has the same type as "
                f"previously defined. Existing schema: {old} New schema: {new}"
            )


def _require_no_vectors(update: TableUpdate, keys: Sequence[Entry], definitions: Sequence[Entry]) -> None:
    """Reject a key attribute that is the vector of a vector index."""
    types = types_of(definitions)
    for key in keys:
        for index in update.vector_indexes:
            name = key["AttributeName"]
            if index["VectorAttribute"]["AttributeName"] == name:
                raise ValidationError(
                    f"{INVALID}Attributes cannot be redefined. Please check that your attribute has the same type as "
                    "previously defined. Existing schema: VectorIndexSchema:[VectorAttribute: "
                    f"key{{{name}:L:{index['Dimensions']}}}] New schema: Schema:[SchemaElement: "
                    f"key{{{name}:{types[name]}:{key['KeyType']}}}]"
                )


def types_of(definitions: Sequence[Entry]) -> dict[str, str]:
    """The types of attribute definitions, by name."""
    return {entry["AttributeName"]: entry["AttributeType"] for entry in definitions}


def define(update: TableUpdate, keys: Sequence[Entry], definitions: Sequence[Entry]) -> None:
    """Add the definitions of the attributes of a new index."""
    known = update.description["AttributeDefinitions"]
    new = [
        entry for entry in definitions if entry["AttributeName"] in set(names_of(keys)) - set(names_of(known))
    ]
    update.description["AttributeDefinitions"] = describe_definitions([*known, *new])


def _delete(update: TableUpdate, name: str) -> None:
    gone = _find(update, name, "delete")
    left = [index for index in update.indexes if index is not gone]
    update.description["GlobalSecondaryIndexes"] = left
    if not left:
        del update.description["GlobalSecondaryIndexes"]
    forget_unused(update)
    update.shown["TableStatus"] = "UPDATING"
    update.show_index(name, {"IndexStatus": "DELETING"})


def forget_unused(update: TableUpdate) -> None:
    """Remove the definitions of attributes that no key and no index uses any more."""
    used = set(key_names(update.description))
    update.description["AttributeDefinitions"] = [
        entry for entry in update.description["AttributeDefinitions"] if entry["AttributeName"] in used
    ]


def key_names(description: Entry) -> Iterator[str]:
    """The attributes of the keys of a table and its indexes, as a description has them."""
    yield from names_of(description["KeySchema"])
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        for index in description.get(member, ()):
            yield from names_of(index["KeySchema"])
    for index in description.get("VectorIndexes", ()):
        yield from names_of(index.get("SearchSchema", ()))


def perform_indexes(update: TableUpdate) -> int | None:
    """Create the space of a new index; return the space of a deleted one, which the caller removes."""
    spaces = update.definition["Spaces"]
    names = {
        index["IndexName"]
        for index in (
            *update.indexes,
            *update.description.get("LocalSecondaryIndexes", ()),
            *update.vector_indexes,
        )
    }
    for name in names - spaces.keys():
        spaces[name] = update.tx.new_space()
        update.definition["Building"] = name
    for name in spaces.keys() - names - {""}:
        space: int = spaces.pop(name)
        update.definition["Deleting"] = {
            "Space": space,
            "Index": next(
                index
                for member in ("GlobalSecondaryIndexes", "VectorIndexes")
                for index in update.table.description.get(member, ())
                if index["IndexName"] == name
            ),
            "AttributeDefinitions": update.table.description["AttributeDefinitions"],
        }
        if update.definition.get("Building") == name:
            del update.definition["Building"]
        return space
    return None
