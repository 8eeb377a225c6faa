"""SearchVectors: scores, conditions, projections, capacity, and AWS's messages. With numpy and without."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.features.vectors import search_vectors
from tablewright.engine.storage import open_store
from tablewright.errors import ResourceNotFound, SerializationError, ServiceError, ValidationError
from tests.engine.features.vectors.vector_table import (
    BY_TENANT,
    NAMED,
    create_request,
    found,
    put,
    search_request,
    vector,
    vector_index,
)

FIXTURE = {"a": (1, 0, 0), "b": (0, 1, 0), "c": (-1, 0, 0), "d": (0.6, 0.8, 0)}


@pytest.fixture(params=["numpy", "python"])
def arithmetic(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "python":
        monkeypatch.setattr(search_vectors, "load_numpy", lambda: None)
    else:
        pytest.importorskip("numpy")


@pytest.fixture(params=["memory", "file"])
def db(request: pytest.FixtureRequest, tmp_path: Path, arithmetic: None) -> Iterator[Database]:
    database = Database(open_store(None if request.param == "memory" else tmp_path / "data.db", "relaxed"))
    indexes = [vector_index(f"by-{name.lower()}", DistanceFunction=name) for name in ("COSINE", "EUCLIDEAN")]
    indexes += [vector_index("by-dot", DistanceFunction="DOT_PRODUCT"), vector_index(), BY_TENANT]
    database.call("CreateTable", create_request(*indexes))
    for name, numbers in FIXTURE.items():
        put(database, name, *numbers, tenant="red", kind="memo" if name in "ab" else "mail")
    yield database
    database.close()


def single(value: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def scores(db: Database, index: str, *numbers: float) -> dict[str, float]:
    reply = db.call("SearchVectors", search_request(*numbers, IndexName=index))
    return {result["Item"]["id"]["S"]: result["Score"] for result in reply["SearchResults"]}


def rejected(db: Database, **members: Any) -> str:
    request = dict(search_request(1, 0, 0).items()) | members
    with pytest.raises(ValidationError) as caught:
        db.call("SearchVectors", request)
    return caught.value.message


def test_the_score_depends_on_the_distance_function(db: Database) -> None:
    assert scores(db, "by-cosine", 1, 0, 0) == {
        "a": 0.0,
        "d": pytest.approx(0.4, abs=1e-7),
        "b": 1.0,
        "c": 2.0,
    }
    assert scores(db, "by-euclidean", 1, 0, 0) == {
        "a": 0.0,
        "d": pytest.approx(0.8**0.5, abs=1e-7),
        "b": single(2**0.5),
        "c": 2.0,
    }
    assert scores(db, "by-dot", 1, 0, 0) == {"a": 1.0, "d": single(0.6), "b": 0.0, "c": -1.0}


def test_the_best_comes_first(db: Database) -> None:
    for index in ("by-cosine", "by-euclidean", "by-dot"):
        assert found(db, 1, 0, 0, IndexName=index) == ["a", "d", "b", "c"]
        assert found(db, 1, 0, 0, IndexName=index, TopK=2) == ["a", "d"]


def test_equal_scores_are_ordered_by_key(db: Database) -> None:
    for name in ("x", "y", "z"):
        put(db, name, 0, 0, 5)
    tied = found(db, 0, 0, 1, TopK=3)
    assert sorted(tied) == ["x", "y", "z"]
    assert found(db, 0, 0, 1, TopK=2) == tied[:2]


def test_a_vector_of_zeros_is_at_distance_one_from_everything(db: Database) -> None:
    put(db, "zero", 0, 0, 0)
    assert scores(db, "by-cosine", 1, 0, 0)["zero"] == 1.0
    assert set(scores(db, "by-cosine", 0, 0, 0).values()) == {1.0}


def test_scores_beyond_32_bits_become_the_largest_32_bit_float(db: Database) -> None:
    put(db, "huge", "3e38", "3e38", 0)
    assert scores(db, "by-dot", 3e38, 3e38, 0)["huge"] == search_vectors_largest()
    assert scores(db, "by-euclidean", -3e38, -3e38, 0)["huge"] == search_vectors_largest()
    # 3e38 * 3e38 does not fit in a 32-bit float, but the difference of two such products is 0.
    assert scores(db, "by-dot", 3e38, -3e38, 0)["huge"] == 0.0


def search_vectors_largest() -> float:
    return float(struct.unpack("<f", b"\xff\xff\x7f\x7f")[0])


def test_tiny_vectors_have_a_direction(db: Database) -> None:
    put(db, "tiny", "1e-23", 0, 0)
    assert scores(db, "by-cosine", 1, 0, 0)["tiny"] == 0.0


def test_the_vector_is_shown_only_on_request_as_32_bit_floats(db: Database) -> None:
    db.call(
        "PutItem", {**NAMED, "Item": {"id": {"S": "p"}, "v": vector("0.1", "16777217", "1.00000005960464")}}
    )
    (result,) = db.call("SearchVectors", search_request("0.1", 16777217, 1, TopK=1))["SearchResults"]
    assert result["Item"] == {"id": {"S": "p"}}
    request = search_request("0.1", 16777217, 1, TopK=1, ProjectionExpression="v, id, absent")
    (result,) = db.call("SearchVectors", request)["SearchResults"]
    assert result["Item"] == {"id": {"S": "p"}, "v": vector("0.1", "16777216.0", "1.0")}
    stored = db.call("GetItem", {**NAMED, "Key": {"id": {"S": "p"}}})["Item"]
    assert stored["v"] == vector("0.1", "16777217", "1.00000005960464")


def test_a_projection_selects_parts_of_the_vector_and_of_other_attributes(db: Database) -> None:
    request = search_request(
        1, 0, 0, TopK=1, ProjectionExpression="v[0], #k", ExpressionAttributeNames={"#k": "kind"}
    )
    (result,) = db.call("SearchVectors", request)["SearchResults"]
    assert result["Item"] == {"v": vector("1.0"), "kind": {"S": "memo"}}


def test_only_projected_attributes_are_returned(tmp_path: Path, arithmetic: None) -> None:
    include = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["title"]}
    indexes = [
        {**BY_TENANT, "Projection": {"ProjectionType": "KEYS_ONLY"}},
        vector_index(Projection=include),
    ]
    db = Database(open_store())
    db.call("CreateTable", create_request(*indexes))
    put(db, "a", 1, 0, 0, tenant="red", kind="memo", title="A", body="...")
    (result,) = db.call("SearchVectors", search_request(1, 0, 0))["SearchResults"]
    assert result["Item"] == {"id": {"S": "a"}, "title": {"S": "A"}}
    request = search_request(1, 0, 0, IndexName="by-tenant", **of_tenant("red"))
    (result,) = db.call("SearchVectors", request)["SearchResults"]
    assert result["Item"] == {"id": {"S": "a"}, "tenant": {"S": "red"}, "kind": {"S": "memo"}}
    db.close()


def of_tenant(tenant: str, kind: str | None = None) -> dict[str, Any]:
    if kind is None:
        values = {":t": {"S": tenant}}
        return {"SearchConditionExpression": "tenant = :t", "ExpressionAttributeValues": values}
    return {
        "SearchConditionExpression": "#t = :t AND :k = kind",
        "ExpressionAttributeNames": {"#t": "tenant"},
        "ExpressionAttributeValues": {":t": {"S": tenant}, ":k": {"S": kind}},
    }


def test_conditions_select_one_partition_and_filter_it(db: Database) -> None:
    put(db, "blue", 1, 0, 0, tenant="blue", kind="mail")
    put(db, "no-kind", 1, 0, 0, tenant="red")
    put(db, "no-tenant", 1, 0, 0, kind="mail")
    by_tenant = {"IndexName": "by-tenant"}
    assert set(found(db, 1, 0, 0, **by_tenant, **of_tenant("red"))) == {"a", "b", "c", "d", "no-kind"}
    assert found(db, 1, 0, 0, **by_tenant, **of_tenant("red", "mail")) == ["d", "c"]
    assert found(db, 1, 0, 0, **by_tenant, **of_tenant("blue")) == ["blue"]
    assert found(db, 1, 0, 0, **by_tenant, **of_tenant("none")) == []
    assert "no-tenant" in found(db, 1, 0, 0)


def test_writes_are_found_by_the_next_search(db: Database) -> None:
    db.call(
        "UpdateItem",
        {
            **NAMED,
            "Key": {"id": {"S": "c"}},
            "UpdateExpression": "SET v[0] = :one, tenant = :blue",
            "ExpressionAttributeValues": {":one": {"N": "1"}, ":blue": {"S": "blue"}},
        },
    )
    assert scores(db, "by-cosine", 1, 0, 0)["c"] == 0.0
    assert found(db, 1, 0, 0, IndexName="by-tenant", **of_tenant("blue")) == ["c"]
    db.call("UpdateItem", {**NAMED, "Key": {"id": {"S": "a"}}, "UpdateExpression": "REMOVE v"})
    db.call("UpdateItem", {**NAMED, "Key": {"id": {"S": "b"}}, "UpdateExpression": "REMOVE tenant"})
    db.call("DeleteItem", {**NAMED, "Key": {"id": {"S": "d"}}})
    assert found(db, 1, 0, 0) == ["c", "b"]
    assert found(db, 1, 0, 0, IndexName="by-tenant", **of_tenant("red")) == []


def test_capacity_is_shown_in_bytes(db: Database) -> None:
    def consumed(detail: str, **members: Any) -> Any:
        request = search_request(1, 0, 0, ReturnConsumedCapacity=detail, **members)
        return db.call("SearchVectors", request).get("ConsumedCapacity")

    assert consumed("TOTAL") == consumed("INDEXES") == {"VectorSearchRequestBytes": 1024.0}
    assert consumed("NONE") is None
    put(db, "long", 1, 0, 0, text="x" * 2000)
    assert consumed("TOTAL") == {
        "VectorSearchRequestBytes": pytest.approx(17.6 * 3 + 4 * 17 + 1 + 2 + 6 + 2004, abs=12)
    }


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"TopK": 101},
            "Provided TopK value '101' is out of valid range. The value must be between 1 and 100 inclusive",
        ),
        (
            {"TopK": 0},
            "1 validation error detected: Value at 'TopK' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1",
        ),
        (
            {"IndexName": "ab"},
            "1 validation error detected: Value at 'IndexName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 3",
        ),
        (
            {"IndexName": "by vector"},
            "1 validation error detected: Value at 'IndexName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
        ),
        (
            {"SearchVector": []},
            "1 validation error detected: Value at 'SearchVector' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1",
        ),
        (
            {"SearchVector": [{"N": "1"}] * 4097},
            "1 validation error detected: Value at 'SearchVector' failed to satisfy constraint: "
            "Member must have length less than or equal to 4096",
        ),
        (
            {"SearchVector": [{"N": "1"}, {"N": "0"}]},
            "Input search vector dimension 2 does not match vector index dimension 3",
        ),
        *(
            (
                {"SearchVector": [wrong]},
                "Search vector contains invalid values. All values in the search vector must be a 32-bit "
                "floating-point number attribute",
            )
            for wrong in (vector(1, 0, 0), {"S": "1"}, {"N": "1e39"}, {"N": "one"})
        ),
        ({"IndexName": "missing"}, "The table does not have the specified index: missing"),
        (
            {"IndexName": "by-tenant"},
            "SearchConditionExpression must be provided when SearchSchema has a HASH key",
        ),
        (
            of_tenant("red"),
            "SearchConditionExpression must not contain any attributes that is not in SearchSchema. "
            "Invalid attribute: tenant",
        ),
    ],
)
def test_invalid_requests_are_rejected(db: Database, members: dict[str, Any], message: str) -> None:
    assert rejected(db, **members) == message


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        *(
            (
                text,
                {":t": {"S": "red"}},
                "Invalid SearchConditionExpression: Invalid comparator used in SearchConditionExpression",
            )
            for text in ("tenant < :t", "NOT tenant = :t", "begins_with(tenant, :t)", "tenant IN (:t)")
        ),
        (
            "kind = :t",
            {":t": {"S": "memo"}},
            "SearchConditionExpression must have all HASH attributes in configured SearchSchema",
        ),
        (
            "tenant = :t",
            {":t": {"N": "1"}},
            "Type of 'tenant' attribute in SearchConditionExpression (N) does not match type in search schema (S)",
        ),
        (
            "tenant = :t",
            {":t": {"S": ""}},
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            "empty string value. Key: tenant",
        ),
        (
            "tenant.x = :t",
            {":t": {"S": "red"}},
            "Invalid SearchConditionExpression: SearchConditionExpression cannot have conditions on nested attributes",
        ),
        (
            "tenant = :t AND tenant = :t",
            {":t": {"S": "red"}},
            "Invalid SearchConditionExpression: SearchConditionExpression must only contain one condition per "
            "attribute",
        ),
        (
            "",
            {":t": {"S": "red"}},
            "Invalid SearchConditionExpression: The expression can not be empty;",
        ),
    ],
)
def test_conditions_other_than_equality_are_rejected(
    db: Database, text: str, values: dict[str, Any], message: str
) -> None:
    condition = {"SearchConditionExpression": text, "ExpressionAttributeValues": values}
    assert rejected(db, IndexName="by-tenant", **condition) == message


def test_unused_placeholders_are_rejected(db: Database) -> None:
    assert "unused in expressions" in rejected(db, ExpressionAttributeNames={"#x": "x"})


def test_a_table_that_does_not_exist_is_not_found(db: Database) -> None:
    with pytest.raises(ResourceNotFound, match="Requested resource not found"):
        db.call("SearchVectors", {**search_request(1, 0, 0), "TableName": "missing"})


def test_missing_members_and_nulls_have_messages_of_their_own(db: Database) -> None:
    for name in ("TableName", "IndexName", "SearchVector", "TopK"):
        request = search_request(1, 0, 0)
        del request[name]
        with pytest.raises(ValidationError, match=rf"^missing field `{name}` at line 1 column \d+$"):
            db.call("SearchVectors", request)
    for name, expected in (("IndexName", "a string"), ("SearchVector", "a sequence"), ("TopK", "i32")):
        with pytest.raises(
            SerializationError, match=rf"^invalid type: null, expected {expected} at line 1 column \d+$"
        ):
            db.call("SearchVectors", search_request(1, 0, 0, **{name: None}))
    with pytest.raises(
        SerializationError, match=r"^invalid type: floating point `3\.5`, expected i32 at line"
    ):
        db.call("SearchVectors", search_request(1, 0, 0, TopK=3.5))


def test_results_larger_than_16_mb_are_rejected(db: Database) -> None:
    for number in range(45):
        put(db, f"large-{number}", 0, 0, 1, text="x" * 390_000)
    assert rejected(db, TopK=100).startswith("The results are larger than 16 MB")
    assert len(found(db, 1, 0, 0, TopK=100, ProjectionExpression="id")) == 49


def test_a_vector_index_is_not_read_by_other_operations(db: Database) -> None:
    for operation, request, message in (
        (
            "Query",
            {"KeyConditionExpression": "id = :i", "ExpressionAttributeValues": {":i": {"S": "a"}}},
            "Query operation not supported on this index type.",
        ),
        ("Scan", {}, "Scan operation not supported on this index type"),
    ):
        with pytest.raises(ValidationError) as caught:
            db.call(operation, {**NAMED, "IndexName": "by-vector", **request})
        assert caught.value.message == message
    with pytest.raises(ServiceError) as error:
        db.call("ExecuteStatement", {"Statement": 'SELECT * FROM "documents"."by-vector"'})
    assert error.value.message == "Scan operation not supported on this index type"
    reply = db.call("ExecuteStatement", {"Statement": "SELECT v FROM documents WHERE id = 'a'"})
    assert reply["Items"] == [{"v": vector(1, 0, 0)}]
