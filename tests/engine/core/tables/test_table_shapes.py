"""Shapes of the control plane: a missing table name is reported before everything else."""

from typing import Any

import pytest

from tablewright.engine.core.requests.shapes import TABLE_NAME
from tablewright.engine.core.tables.table_shapes import GLOBAL_INDEX, INDEX_UPDATES, KEYS, TableShape
from tablewright.errors import SerializationError, ValidationError

SHAPE = TableShape(TableName=TABLE_NAME, KeySchema=KEYS, GlobalSecondaryIndexUpdates=INDEX_UPDATES)


def test_a_missing_table_name_is_reported_alone() -> None:
    with pytest.raises(ValidationError, match="The parameter 'TableName' is required but was not present"):
        SHAPE.check({"KeySchema": []})
    with pytest.raises(SerializationError):
        SHAPE.check({"KeySchema": "wrong type"})


def test_an_index_has_a_name_keys_and_a_projection() -> None:
    whole: dict[str, Any] = {
        "IndexName": "by-year",
        "KeySchema": [{"AttributeName": "year", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    assert GLOBAL_INDEX.accepts(whole)
    for name in whole:
        assert not GLOBAL_INDEX.accepts({key: value for key, value in whole.items() if key != name})


def test_index_updates_name_their_index() -> None:
    assert INDEX_UPDATES.accepts([{"Delete": {"IndexName": "by-year"}}])
    assert not INDEX_UPDATES.accepts([{"Delete": {}}])
    assert not INDEX_UPDATES.accepts([{"Delete": {"IndexName": "no"}}]), "a name has three characters"
