"""Table rules: valid keys, definitions and indexes, checked in AWS's order and with AWS's messages."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from tablewright.engine.core.plugs import Plug
from tablewright.errors import ValidationError

INVALID = "One or more parameter values were invalid: "
ON_DEMAND_ONLY = f"{INVALID}Vector indexes are only supported for PAY_PER_REQUEST tables"
MOST_LOCAL_INDEXES = 5
MOST_GLOBAL_INDEXES = 20
MOST_KEY_ATTRIBUTES = 4
# "You can project a total of up to 100 attributes into all of a table's local and global secondary indexes."
MOST_PROJECTED = 100

Entry = Mapping[str, Any]


INDEX_CHECKS: Plug[Callable[[Entry], None]] = Plug()
"""Checks of the indexes of another kind in a request that creates a table, right after those of the core."""


def require_indexes(request: Entry) -> None:
    """Check the keys and the indexes of all kinds of a new table."""
    require_keys_and_indexes(request)
    for check in INDEX_CHECKS:
        check(request)


def require_keys_and_indexes(request: Entry) -> None:
    """Reject a CreateTable with invalid keys, definitions or indexes."""
    names = names_of(request["AttributeDefinitions"])
    keys = request["KeySchema"]
    local_indexes = request.get("LocalSecondaryIndexes")
    global_indexes = request.get("GlobalSecondaryIndexes")
    vector_indexes = request.get("VectorIndexes")
    _reject_duplicate_definitions(names)
    if len(keys) > len(names):
        raise ValidationError("Invalid KeySchema: Some index key attribute have no definition")
    require_defined(keys, names)
    _require_pair(keys)
    has_indexes = not (local_indexes is None and global_indexes is None and vector_indexes is None)
    if not has_indexes and len(keys) != len(names):
        raise ValidationError(
            f"{INVALID}Number of attributes in KeySchema does not exactly match number of attributes defined in "
            "AttributeDefinitions"
        )
    _require_lists(keys, local_indexes, global_indexes)
    indexes = [*(local_indexes or ()), *(global_indexes or ())]
    for index in indexes:
        require_defined(index["KeySchema"], names)
    for index in local_indexes or ():
        _require_pair(index["KeySchema"])
    for index in global_indexes or ():
        require_global_keys(index["KeySchema"])
    schemas = [index.get("SearchSchema") or () for index in vector_indexes or ()]
    # An attribute that is defined and is a vector has its own message: see `vector_index_rules`.
    vectors = [[index["VectorAttribute"]] for index in vector_indexes or ()]
    _require_used(names, [keys, *(index["KeySchema"] for index in indexes), *schemas, *vectors])
    _require_local_indexes(keys, local_indexes or ())
    _require_global_indexes(global_indexes or (), {index["IndexName"] for index in local_indexes or ()})
    require_few_projected([*indexes, *(vector_indexes or ())])


def names_of(elements: Sequence[Entry]) -> list[str]:
    """The attribute names of a key schema or of definitions."""
    return [element["AttributeName"] for element in elements]


def _listed(names: Sequence[str]) -> str:
    return f"[{', '.join(names)}]"


def _repeated(names: Sequence[str]) -> str | None:
    """The first repeated name, or None."""
    return next((name for position, name in enumerate(names) if name in names[:position]), None)


def _reject_duplicate_definitions(names: Sequence[str]) -> None:
    if repeated := _repeated(names):
        raise ValidationError(f"Attribute Name is duplicated: {repeated}")


def require_defined(keys: Sequence[Entry], names: Sequence[str]) -> None:
    """Reject keys of attributes that have no definition."""
    used = names_of(keys)
    if not set(used) <= set(names):
        raise ValidationError(
            f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: {_listed(used)}, AttributeDefinitions: {_listed(names)}"
        )


def _require_pair(keys: Sequence[Entry]) -> None:
    """The key of a table or a local index: a hash key, optionally a range key."""
    names = names_of(keys)
    if len(set(names)) < len(names):
        raise ValidationError(
            "Both the Hash Key and the Range Key element in the KeySchema have the same name"
        )
    _require_hash_first(keys)
    if len(keys) > 1 and keys[1]["KeyType"] != "RANGE":
        raise ValidationError("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")


def _require_hash_first(keys: Sequence[Entry]) -> None:
    if keys[0]["KeyType"] != "HASH":
        raise ValidationError("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")


def _require_lists(
    keys: Sequence[Entry], local_indexes: Sequence[Entry] | None, global_indexes: Sequence[Entry] | None
) -> None:
    if local_indexes is not None:
        if not local_indexes:
            raise ValidationError(f"{INVALID}List of LocalSecondaryIndexes is empty")
        if len(keys) < 2:
            raise ValidationError(
                f"{INVALID}Table KeySchema does not have a range key, which is required when specifying a "
                "LocalSecondaryIndex"
            )
    if global_indexes is not None and not global_indexes:
        raise ValidationError(f"{INVALID}List of GlobalSecondaryIndexes is empty")


def _require_used(names: Sequence[str], schemas: Sequence[Sequence[Entry]]) -> None:
    used = list(dict.fromkeys(chain.from_iterable(map(names_of, schemas))))
    if set(names) - set(used):
        raise ValidationError(
            f"{INVALID}Some AttributeDefinitions are not used. "
            f"AttributeDefinitions: {_listed(names)}, keys used: {_listed(used)}"
        )


def _require_local_indexes(keys: Sequence[Entry], indexes: Sequence[Entry]) -> None:
    taken: set[str] = set()
    for index in indexes:
        name, schema = index["IndexName"], index["KeySchema"]
        if len(schema) < 2:
            raise ValidationError(f"{INVALID}Index KeySchema does not have a range key for index: {name}")
        own, tables = schema[0]["AttributeName"], keys[0]["AttributeName"]
        if own != tables:
            raise ValidationError(
                f"{INVALID}Index KeySchema does not have the same leading hash key as table KeySchema for index: "
                f"{name}. index hash key: {own}, table hash key: {tables}"
            )
        require_projection(index["Projection"])
        _take(name, taken)
    if len(indexes) > MOST_LOCAL_INDEXES:
        raise ValidationError(
            f"{INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of {MOST_LOCAL_INDEXES}"
        )


def _require_global_indexes(indexes: Sequence[Entry], taken: set[str]) -> None:
    for index in indexes:
        require_projection(index["Projection"])
        _take(index["IndexName"], taken)
    if len(indexes) > MOST_GLOBAL_INDEXES:
        raise ValidationError(
            f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of {MOST_GLOBAL_INDEXES}"
        )


def _take(name: str, taken: set[str]) -> None:
    if name in taken:
        raise ValidationError(f"{INVALID}Duplicate index name: {name}")
    taken.add(name)


def require_global_keys(keys: Sequence[Entry]) -> None:
    """The key of a global index: up to four hash attributes, then up to four range attributes."""
    names = names_of(keys)
    if len(set(names)) < len(names):
        raise ValidationError("The KeySchema contains multiple key attributes with the same name")
    _require_hash_first(keys)
    kinds = [key["KeyType"] for key in keys]
    if kinds != sorted(kinds):
        raise ValidationError(
            f"{INVALID}All HASH key attributes must precede RANGE key attributes in the KeySchema"
        )
    for kind in ("HASH", "RANGE"):
        if kinds.count(kind) > MOST_KEY_ATTRIBUTES:
            raise ValidationError(
                f"{INVALID}The KeySchema exceeds the maximum allowed number of {kind} key attributes"
            )


def require_projection(projection: Entry) -> None:
    """Reject a projection with missing or contradictory attributes."""
    kind, names = projection.get("ProjectionType"), projection.get("NonKeyAttributes")
    if kind is None:
        raise ValidationError(f"{INVALID}Unknown ProjectionType: null")
    if kind != "INCLUDE" and names is not None:
        raise ValidationError(f"{INVALID}ProjectionType is {kind}, but NonKeyAttributes is specified")
    if kind == "INCLUDE" and names is None:
        raise ValidationError(f"{INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
    if repeated := _repeated(names or ()):
        raise ValidationError(f"{INVALID}Duplicate element in NonKeyAttributes: {repeated}")


def require_few_projected(indexes: Sequence[Entry]) -> None:
    """Reject indexes that together project too many attributes; one projected into two indexes counts twice."""
    count = sum(len(index["Projection"].get("NonKeyAttributes") or ()) for index in indexes)
    if count > MOST_PROJECTED:
        raise ValidationError(
            f"{INVALID}Number of projected attributes across all indexes exceeds per-table limit of {MOST_PROJECTED}"
        )
