"""Vector index rules: AWS's messages for invalid vector indexes in CreateTable, and descriptions of valid ones."""

from typing import Any

import pytest

from tablewright.dynamodb.values.vectors import vector_index_definition
from tablewright.engine.database import Database
from tablewright.engine.features.vectors.vector_index_rules import describe_vector_index
from tablewright.engine.storage import open_store
from tablewright.errors import ValidationError
from tests.engine.features.vectors.vector_table import BY_TENANT, NAMED, SCHEMA, create_request, vector_index

INVALID = "One or more parameter values were invalid: "
DEFINED = [{"AttributeName": "id", "AttributeType": "S"}]


def schema(hashes: int, filters: int) -> list[dict[str, str]]:
    kinds = ["HASH"] * hashes + ["INLINE_FILTER"] * filters
    return [
        {"AttributeName": f"a{number}", "SearchSchemaElementType": kind} for number, kind in enumerate(kinds)
    ]


def rejected(request: dict[str, Any]) -> str:
    db = Database(open_store())
    with pytest.raises(ValidationError) as caught:
        db.call("CreateTable", request)
    db.close()
    return caught.value.message


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (create_request(VectorIndexes=[]), f"{INVALID}List of VectorIndexes is empty"),
        (
            create_request(
                vector_index(),
                BillingMode="PROVISIONED",
                ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
            ),
            f"{INVALID}Vector indexes are only supported for PAY_PER_REQUEST tables",
        ),
        (
            create_request(*(vector_index(f"index-{number}") for number in range(6))),
            f"{INVALID}VectorIndex count exceeds the per-table limit of 5",
        ),
        (
            create_request(vector_index(Dimensions=4097)),
            f"{INVALID}Number of dimensions must be between 1 and 4096 inclusive.",
        ),
        (
            create_request(BY_TENANT, AttributeDefinitions=DEFINED),
            f"{INVALID}One element in SearchSchema is not defined in attribute definitions",
        ),
        (
            create_request(vector_index(), vector_index("other", Dimensions=4)),
            f"{INVALID}Conflicting attribute definition for 'v'. All VectorIndexes on the same vector attribute "
            "must use the same dimensions.",
        ),
        (
            create_request(
                vector_index(),
                AttributeDefinitions=[*DEFINED, {"AttributeName": "v", "AttributeType": "B"}],
            ),
            f"{INVALID}Conflicting attribute definition for 'v'. An attribute cannot be defined in "
            "AttributeDefinitions when used as a VectorAttribute.",
        ),
        (create_request(vector_index(), vector_index()), f"{INVALID}Duplicate index name: by-vector"),
        (
            create_request(vector_index(SearchSchema=schema(2, 0))),
            f"{INVALID}Value '2' at 'SearchSchema' failed to satisfy constraint: Member must have HASH count less "
            "than or equal to 1",
        ),
        (
            create_request(vector_index(SearchSchema=schema(0, 19))),
            f"{INVALID}Value '19' at 'SearchSchema' failed to satisfy constraint: Member must have INLINE_FILTER "
            "count less than or equal to 18",
        ),
        (
            create_request(vector_index(SearchSchema=[SCHEMA[0], {**SCHEMA[1], "AttributeName": "tenant"}])),
            f"{INVALID}SearchSchema contains a duplicate AttributeName",
        ),
        (
            create_request(vector_index(Projection={"ProjectionType": "INCLUDE"})),
            f"{INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
        ),
        (
            create_request(vector_index(Dimensions=0)),
            "1 validation error detected: Value '0' at 'vectorIndexes.1.member.dimensions' failed to satisfy "
            "constraint: Member must have value greater than or equal to 1",
        ),
        (
            create_request(vector_index("vx")),
            "1 validation error detected: Value 'vx' at 'vectorIndexes.1.member.indexName' failed to satisfy "
            "constraint: Member must have length greater than or equal to 3",
        ),
        (
            create_request(vector_index(DistanceFunction="MANHATTAN")),
            "1 validation error detected: Value 'MANHATTAN' at 'vectorIndexes.1.member.distanceFunction' failed to "
            "satisfy constraint: Member must satisfy enum value set: [COSINE, DOT_PRODUCT, EUCLIDEAN]",
        ),
        (
            create_request(
                vector_index(SearchSchema=[{"AttributeName": "id", "SearchSchemaElementType": "RANGE"}])
            ),
            "1 validation error detected: Value 'RANGE' at "
            "'vectorIndexes.1.member.searchSchema.1.member.searchSchemaElementType' failed to satisfy constraint: "
            "Member must satisfy enum value set: [HASH, INLINE_FILTER]",
        ),
        *(
            (
                create_request({name: value for name, value in vector_index().items() if name != missing}),
                "1 validation error detected: Value null at "
                f"'vectorIndexes.1.member.{missing[0].lower()}{missing[1:]}' failed to satisfy constraint: "
                "Member must not be null",
            )
            for missing in ("IndexName", "VectorAttribute", "Dimensions", "DistanceFunction", "Projection")
        ),
    ],
)
def test_invalid_vector_indexes_are_rejected(request_: dict[str, Any], message: str) -> None:
    assert rejected(request_) == message


def test_names_are_unique_among_all_kinds_of_indexes() -> None:
    global_index = {
        "IndexName": "by-vector",
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    request = create_request(vector_index(), GlobalSecondaryIndexes=[global_index])
    assert rejected(request) == f"{INVALID}Duplicate index name: by-vector"


def test_limits_are_accepted() -> None:
    db = Database(open_store())
    widest = vector_index("index-0", Dimensions=4096, SearchSchema=schema(1, 18))
    others = [
        vector_index(f"index-{number}", VectorAttribute={"AttributeName": "w"}) for number in range(1, 5)
    ]
    db.call("CreateTable", create_request(widest, *others))
    assert len(db.call("DescribeTable", NAMED)["Table"]["VectorIndexes"]) == 5
    db.close()


def test_descriptions_show_status_and_counts() -> None:
    db = Database(open_store())
    created = db.call("CreateTable", create_request(BY_TENANT))["TableDescription"]
    assert [index["IndexStatus"] for index in created["VectorIndexes"]] == ["CREATING"]
    (index,) = db.call("DescribeTable", NAMED)["Table"]["VectorIndexes"]
    assert index == {
        **BY_TENANT,
        "IndexArn": "arn:aws:dynamodb:us-east-1:123456789012:table/documents/index/by-tenant",
        "IndexStatus": "ACTIVE",
        "ItemCount": 0,
        "IndexSizeBytes": 0,
    }
    deleted = db.call("DeleteTable", NAMED)["TableDescription"]
    assert "VectorIndexes" not in deleted
    db.close()


def test_a_fraction_of_a_dimension_is_dropped_and_attributes_are_sorted() -> None:
    projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["b", "a"]}
    described = describe_vector_index(vector_index(Dimensions=3.5, Projection=projection), "arn")
    assert described["Dimensions"] == 3
    assert described["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b"]}
    assert described["IndexArn"] == "arn/index/by-vector"
    assert (
        vector_index_definition({**vector_index(), "SearchSchema": None, "IndexArn": "x"}) == vector_index()
    )
