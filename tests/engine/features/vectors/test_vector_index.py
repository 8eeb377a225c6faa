"""Vector indexes, compiled: which items belong to one, and which writes are rejected."""

from typing import Any

import pytest

from tablewright.dynamodb.values.vectors import unpacked
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.key_schema import EmptyKey
from tablewright.engine.features.vectors.vector_index import vector_indexes_of
from tablewright.errors import ValidationError
from tests.engine.features.vectors.vector_table import BY_TENANT, create_request, vector, vector_index

KEYS_ONLY = {"ProjectionType": "KEYS_ONLY"}


def compiled(*indexes: dict[str, Any], building: str | None = None) -> StoredTable:
    spaces = {name: number for number, name in enumerate(["", *(each["IndexName"] for each in indexes)], 16)}
    definition = {"Id": 16, "Spaces": spaces, "Description": create_request(*indexes)}
    return StoredTable.compile(definition | ({"Building": building} if building else {}))


PLAIN = vector_indexes_of(compiled(vector_index()))[0]
TENANT = vector_indexes_of(compiled({**BY_TENANT, "Projection": KEYS_ONLY}))[0]
ITEM = {"id": {"S": "a"}, "v": vector(1, 2, 3), "tenant": {"S": "red"}}


def test_an_index_is_compiled_from_its_description() -> None:
    assert (PLAIN.attribute, PLAIN.dimensions, PLAIN.distance) == ("v", 3, "COSINE")
    assert PLAIN.hash is None
    assert PLAIN.projected is None
    assert TENANT.names == ("v", "tenant", "kind")
    assert TENANT.projected == frozenset({"id", "tenant", "kind"})
    assert TENANT.hash is not None
    assert TENANT.hash.names == ("tenant",)


def test_indexes_of_a_table_are_found_by_name_and_sorted() -> None:
    table = compiled(vector_index("zzz"), vector_index("aaa"), building="zzz")
    assert [index.name for index in table.other_indexes] == ["aaa", "zzz"]
    assert [index.is_building for index in table.other_indexes] == [False, True]
    assert table.other_index("aaa") is table.other_indexes[0]
    assert table.other_index("bbb") is None
    assert table.index("aaa") is None
    assert table.all_indexes == table.other_indexes
    assert table.has_index_rows
    assert table.indexed == {"v"}


def test_an_item_belongs_to_an_index_by_its_vector_and_partition_key() -> None:
    found = PLAIN.vector_of(ITEM)
    assert found is not None
    assert unpacked(found) == (1.0, 2.0, 3.0)
    assert TENANT.vector_of(ITEM) == found
    for missing in ("v", "tenant"):
        assert TENANT.vector_of({name: value for name, value in ITEM.items() if name != missing}) is None


@pytest.mark.parametrize(
    "wrong",
    [{"v": vector(1, 2)}, {"tenant": {"N": "1"}}, {"tenant": {"S": ""}}, {"kind": {"N": "1"}}],
)
def test_items_from_before_the_index_with_wrong_values_do_not_belong_to_it(wrong: dict[str, Any]) -> None:
    assert TENANT.vector_of({**ITEM, **wrong}) is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"v": vector(1, 2)},
            "One or more parameter values were invalid. Invalid size for parameter v, Expected: 3, Actual: 2 "
            "IndexName: by-tenant",
        ),
        (
            {"kind": {"N": "1"}},
            "One or more parameter values were invalid. Attribute 'kind' type mismatch. Expected: S, Actual: N. "
            "IndexName: by-tenant",
        ),
        (
            {"tenant": {"BOOL": True}},
            "One or more parameter values were invalid. Attribute 'tenant' type mismatch. Expected: S, Actual: BOOL. "
            "IndexName: by-tenant",
        ),
    ],
)
def test_wrong_values_are_rejected_by_name(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TENANT.require_fit({**ITEM, **wrong})
    assert caught.value.message == message
    TENANT.require_fit({**ITEM, **wrong}, touched=["title"])


def test_an_empty_partition_key_is_rejected() -> None:
    with pytest.raises(
        EmptyKey, match=r"cannot contain an empty string value\. IndexName: by-tenant, IndexKey: tenant"
    ):
        TENANT.require_fit({**ITEM, "tenant": {"S": ""}})


def test_missing_values_are_accepted() -> None:
    TENANT.require_fit({"id": {"S": "a"}})
    TENANT.require_fit(ITEM)
