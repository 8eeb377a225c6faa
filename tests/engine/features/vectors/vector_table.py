"""A table of documents with vector indexes, and requests on it."""

from typing import Any

from tablewright.engine.database import Database

NAMED = {"TableName": "documents"}


def vector(*numbers: float | str) -> dict[str, Any]:
    """A vector as an attribute value."""
    return {"L": [{"N": str(number)} for number in numbers]}


def vector_index(name: str = "by-vector", **members: Any) -> dict[str, Any]:
    """A vector index of three dimensions on the attribute `v`, without a search schema."""
    return {
        "IndexName": name,
        "VectorAttribute": {"AttributeName": "v"},
        "Dimensions": 3,
        "DistanceFunction": "COSINE",
        "Projection": {"ProjectionType": "ALL"},
        **members,
    }


SCHEMA = [
    {"AttributeName": "tenant", "SearchSchemaElementType": "HASH"},
    {"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"},
]
BY_TENANT = vector_index("by-tenant", SearchSchema=SCHEMA)


def create_request(*indexes: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A CreateTable request with these vector indexes; the attributes of their search schemas are strings."""
    schemas = [index.get("SearchSchema") or [] for index in indexes]
    names = dict.fromkeys(["id", *(each["AttributeName"] for schema in schemas for each in schema)])
    return {
        **NAMED,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names],
        **({"VectorIndexes": list(indexes)} if indexes else {}),
        **members,
    }


def update_request(index: dict[str, Any]) -> dict[str, Any]:
    """An UpdateTable request that creates a vector index."""
    names = [each["AttributeName"] for each in index.get("SearchSchema") or []]
    definitions = [{"AttributeName": name, "AttributeType": "S"} for name in names]
    request: dict[str, Any] = {**NAMED, "VectorIndexUpdates": [{"Create": index}]}
    return request | ({"AttributeDefinitions": definitions} if definitions else {})


def delete_request(name: str = "by-vector") -> dict[str, Any]:
    """An UpdateTable request that deletes a vector index."""
    return {**NAMED, "VectorIndexUpdates": [{"Delete": {"IndexName": name}}]}


def put(db: Database, name: str, *numbers: float | str, **texts: str) -> dict[str, Any]:
    """Put a document with a vector, if numbers are given, and further text attributes."""
    item: dict[str, Any] = {"id": {"S": name}, **{key: {"S": text} for key, text in texts.items()}}
    if numbers:
        item["v"] = vector(*numbers)
    return db.call("PutItem", {**NAMED, "Item": item, "ReturnConsumedCapacity": "INDEXES"})


def search_request(*numbers: float | str, **members: Any) -> dict[str, Any]:
    """A SearchVectors request for ten results."""
    vector_of_search = [{"N": str(number)} for number in numbers]
    return {**NAMED, "IndexName": "by-vector", "SearchVector": vector_of_search, "TopK": 10, **members}


def found(db: Database, *numbers: float | str, **members: Any) -> list[str]:
    """The ids of the documents that a search returns, the best first."""
    reply = db.call("SearchVectors", search_request(*numbers, **members))
    return [result["Item"]["id"]["S"] for result in reply["SearchResults"]]
