"""Vector index rules: valid vector indexes, checked with AWS's messages, and their descriptions."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tablewright.dynamodb.limits import MAX_DIMENSIONS, MAX_INLINE_FILTERS, MAX_VECTOR_INDEXES
from tablewright.dynamodb.values.vectors import vector_index_definition
from tablewright.engine.core.requests.arns import index_arn
from tablewright.engine.core.requests.shapes import ListOf, Number, Text, one_of, required, structure
from tablewright.engine.core.tables.table_rules import (
    INVALID,
    ON_DEMAND_ONLY,
    Entry,
    names_of,
    require_projection,
)
from tablewright.engine.core.tables.table_shapes import ATTRIBUTE_NAME, INDEX_NAME, PROJECTION
from tablewright.errors import ValidationError

VECTOR_INDEX = structure(
    "VectorIndex",
    IndexName=INDEX_NAME,
    VectorAttribute=required(structure("VectorAttributeDefinition", AttributeName=ATTRIBUTE_NAME)),
    SearchSchema=ListOf(
        structure(
            "SearchSchemaElement",
            AttributeName=Text(longest=65535, required=True),
            SearchSchemaElementType=required(one_of("HASH", "INLINE_FILTER")),
        ),
        shortest=1,
    ),
    Projection=PROJECTION,
    Dimensions=Number(least=1, java="Long", required=True),
    DistanceFunction=required(one_of("COSINE", "DOT_PRODUCT", "EUCLIDEAN")),
)
VECTOR_INDEX_UPDATES = ListOf(
    structure(
        "VectorIndexUpdate",
        Create=structure("CreateVectorIndexAction", **VECTOR_INDEX.members),
        Delete=structure("DeleteVectorIndexAction", IndexName=INDEX_NAME),
    )
)


def require_vector_indexes(request: Entry) -> None:
    """Reject a CreateTable with invalid vector indexes; keys and other indexes are checked before."""
    indexes = request.get("VectorIndexes")
    if indexes is None:
        return
    if not indexes:
        raise ValidationError(f"{INVALID}List of VectorIndexes is empty")
    if request.get("BillingMode") != "PAY_PER_REQUEST":
        raise ValidationError(ON_DEMAND_ONLY)
    if len(indexes) > MAX_VECTOR_INDEXES:
        raise ValidationError(
            f"{INVALID}VectorIndex count exceeds the per-table limit of {MAX_VECTOR_INDEXES}"
        )
    taken = {
        index["IndexName"]
        for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
        for index in request.get(member) or ()
    }
    for position, index in enumerate(indexes):
        require_vector_index(index, request["AttributeDefinitions"])
        if index["IndexName"] in taken:
            raise ValidationError(f"{INVALID}Duplicate index name: {index['IndexName']}")
        taken.add(index["IndexName"])
        require_same_dimensions(index, indexes[:position])


def require_vector_index(index: Entry, definitions: Sequence[Entry]) -> None:
    """Reject one invalid vector index; the request defines the attributes of its search schema."""
    defined = names_of(definitions)
    if not 1 <= int(index["Dimensions"]) <= MAX_DIMENSIONS:
        raise ValidationError(
            f"{INVALID}Number of dimensions must be between 1 and {MAX_DIMENSIONS} inclusive."
        )
    schema = index.get("SearchSchema") or ()
    _require_schema(schema)
    if not set(names_of(schema)) <= set(defined):
        raise ValidationError(f"{INVALID}One element in SearchSchema is not defined in attribute definitions")
    attribute = index["VectorAttribute"]["AttributeName"]
    if attribute in defined:
        raise ValidationError(
            f"{INVALID}Conflicting attribute definition for '{attribute}'. An attribute cannot be defined in "
            "AttributeDefinitions when used as a VectorAttribute."
        )
    require_projection(index["Projection"])


def _require_schema(schema: Sequence[Entry]) -> None:
    names = names_of(schema)
    if len(set(names)) < len(names):
        raise ValidationError(f"{INVALID}SearchSchema contains a duplicate AttributeName")
    counts = Counter(element["SearchSchemaElementType"] for element in schema)
    for kind, most in (("HASH", 1), ("INLINE_FILTER", MAX_INLINE_FILTERS)):
        if counts[kind] > most:
            raise ValidationError(
                f"{INVALID}Value '{counts[kind]}' at 'SearchSchema' failed to satisfy constraint: "
                f"Member must have {kind} count less than or equal to {most}"
            )


def require_same_dimensions(index: Entry, others: Sequence[Entry]) -> None:
    """Reject an index whose vectors have another size than those of another index of the same attribute."""
    attribute = index["VectorAttribute"]["AttributeName"]
    for other in others:
        if other["VectorAttribute"]["AttributeName"] == attribute and int(other["Dimensions"]) != int(
            index["Dimensions"]
        ):
            raise ValidationError(
                f"{INVALID}Conflicting attribute definition for '{attribute}'. All VectorIndexes on the same "
                "vector attribute must use the same dimensions."
            )


def describe_vector_index(index: Entry, table: str) -> dict[str, Any]:
    """The final description of a vector index; `table` is the ARN of its table."""
    described = {**vector_index_definition(index), "IndexArn": index_arn(table, index["IndexName"])}
    # AWS accepts a fraction and drops it.
    described["Dimensions"] = int(index["Dimensions"])
    projection = described["Projection"] = dict(index["Projection"])
    if projection.get("NonKeyAttributes"):
        projection["NonKeyAttributes"] = sorted(projection["NonKeyAttributes"])
    return described


def describe_vector_indexes(request: Entry, table: str) -> dict[str, Any]:
    """The descriptions of the vector indexes of a new table; `table` is its ARN."""
    if not request.get("VectorIndexes"):
        return {}
    return {"VectorIndexes": [describe_vector_index(index, table) for index in request["VectorIndexes"]]}
