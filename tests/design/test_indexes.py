"""Indexes: vector indexes, their definition, and what DynamoDB would reject."""

from collections.abc import Callable
from typing import Any

import pytest

from tablewright import Index, Table, VectorIndex, billing, embedded
from tablewright.design.indexes import attribute_names
from tablewright.errors import DesignError

MEANING = VectorIndex("by-meaning", "meaning", 3, partition="tenant", filters=("kind", "year"))


def table(*indexes: VectorIndex, **members: Any) -> Table:
    return Table("notes", key="id", vector_indexes=indexes, **members)


def test_the_definition_of_a_vector_index() -> None:
    notes = table(
        MEANING,
        VectorIndex("by-place", "place", 2, distance="EUCLIDEAN", projection="KEYS_ONLY"),
        types={"year": "N"},
    )
    assert notes.definition() == {
        "TableName": "notes",
        "AttributeDefinitions": [
            {"AttributeName": "id", "AttributeType": "S"},
            {"AttributeName": "tenant", "AttributeType": "S"},
            {"AttributeName": "kind", "AttributeType": "S"},
            {"AttributeName": "year", "AttributeType": "N"},
        ],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
        "VectorIndexes": [
            {
                "IndexName": "by-meaning",
                "VectorAttribute": {"AttributeName": "meaning"},
                "Dimensions": 3,
                "DistanceFunction": "COSINE",
                "Projection": {"ProjectionType": "ALL"},
                "SearchSchema": [
                    {"AttributeName": "tenant", "SearchSchemaElementType": "HASH"},
                    {"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"},
                    {"AttributeName": "year", "SearchSchemaElementType": "INLINE_FILTER"},
                ],
            },
            {
                "IndexName": "by-place",
                "VectorAttribute": {"AttributeName": "place"},
                "Dimensions": 2,
                "DistanceFunction": "EUCLIDEAN",
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            },
        ],
    }
    with embedded() as db:
        created = db.call("CreateTable", notes.definition())["TableDescription"]
        assert [index["IndexName"] for index in created["VectorIndexes"]] == ["by-meaning", "by-place"]


def test_search_attributes_are_no_key_attributes() -> None:
    notes = table(MEANING)
    assert notes.key_attributes == ("id",)
    assert notes.defined_attributes == ("id", "tenant", "kind", "year")
    assert notes.vector_attributes == {"meaning"}
    assert notes.vector_index("by-meaning") is MEANING


def test_what_an_index_contains() -> None:
    index = VectorIndex("by-meaning", "meaning", 3, filters="kind", projection=["title"])
    held = [name for name in ("id", "kind", "title", "meaning", "body") if index.holds(table(index), name)]
    assert held == ["id", "kind", "title", "meaning"]


INVALID: dict[str, tuple[Callable[[], Any], str]] = {
    "no dimensions": (
        lambda: VectorIndex("by-meaning", "meaning", 0),
        "vector index by-meaning has 0 dimensions; DynamoDB allows 1 to 4096",
    ),
    "too many dimensions": (lambda: VectorIndex("by-meaning", "meaning", 4097), "has 4097 dimensions"),
    "dimensions that are no number": (
        lambda: VectorIndex("by-meaning", "meaning", "3"),  # type: ignore[arg-type]
        "has '3' dimensions",
    ),
    "an unknown distance": (
        lambda: VectorIndex("by-meaning", "meaning", 3, distance="cosine"),  # type: ignore[arg-type]
        "has distance='cosine'; write one of 'COSINE', 'EUCLIDEAN', 'DOT_PRODUCT'",
    ),
    "two partitions": (
        lambda: VectorIndex("by-meaning", "meaning", 3, partition=("a", "b")),  # type: ignore[arg-type]
        "has 2 partition attributes; give one",
    ),
    "too many filters": (
        lambda: VectorIndex("by-meaning", "meaning", 3, filters=[f"f{n}" for n in range(19)]),
        "has 19 filters; DynamoDB allows up to 18",
    ),
    "an attribute twice": (
        lambda: VectorIndex("by-meaning", "meaning", 3, partition="kind", filters="kind"),
        "names an attribute twice in its vector, partition and filters: meaning, kind, kind",
    ),
    "provisioned capacity": (
        lambda: table(MEANING, billing=billing.Provisioned(5, 5)),
        r"table notes has vector indexes, which need billing.OnDemand\(\); it has Provisioned\(read=5, write=5\)",
    ),
    "too many": (
        lambda: table(*(VectorIndex(f"index-{n}", "meaning", 3) for n in range(6))),
        "table notes has 6 vector indexes; DynamoDB allows up to 5",
    ),
    "two sizes of one vector": (
        lambda: table(VectorIndex("one", "meaning", 3), VectorIndex("two", "meaning", 4)),
        "has vector indexes of meaning with 3 and 4 dimensions; the vectors of one attribute have one size",
    ),
    "a vector that is a key": (
        lambda: table(VectorIndex("by-id", "id", 3)),
        "vector index by-id of table notes has the vector id, which is part of a key or a filter",
    ),
    "a vector that another index filters by": (
        lambda: table(VectorIndex("one", "meaning", 3, filters="place"), VectorIndex("two", "place", 2)),
        "vector index two of table notes has the vector place, which is part of a key or a filter",
    ),
    "a name that another index has": (
        lambda: table(VectorIndex("one", "meaning", 3), indexes=[Index("one", "kind")]),
        "table notes has two indexes named one; rename one",
    ),
    "an invalid name": (lambda: table(VectorIndex("by#meaning", "meaning", 3)), "has '#' in its name"),
    "a vector index among the others": (
        lambda: Table("notes", key="id", indexes=[MEANING]),
        r"table notes has by-meaning among its indexes; write Table\(..., vector_indexes=\[VectorIndex\('by-meaning'",
    ),
    "an unknown index": (
        lambda: table(MEANING).vector_index("by-place"),
        "table notes has no vector index by-place; it has: by-meaning",
    ),
    "a type that nothing uses": (
        lambda: table(MEANING, types={"title": "N"}),
        "types contains title, which no key uses",
    ),
}


@pytest.mark.parametrize(("make", "message"), INVALID.values(), ids=INVALID.keys())
def test_invalid_vector_indexes_are_rejected(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        make()


def test_a_text_is_one_name() -> None:
    assert attribute_names("id") == ("id",)
    assert attribute_names(("PK", "SK")) == ("PK", "SK")
    assert repr(MEANING) == "VectorIndex('by-meaning', 'meaning', 3)"
