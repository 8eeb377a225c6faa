"""Counts of tables and indexes."""

from dataclasses import replace
from typing import Any

from tablewright.console.overview.table_counts import (
    COUNTED_BY_AWS,
    COUNTED_HERE,
    COUNTED_THERE,
    counting,
    table_counts,
)
from tests.console.sample_console import open_system


def test_a_table_and_its_indexes_are_counted() -> None:
    opened = open_system("boards", samples=2)
    name = next(iter(opened.tables))
    found = table_counts(opened, name)
    opened.close()
    assert found["exists"]
    assert found["status"] == "ACTIVE"
    assert found["items"] > found["indexes"]["userName-index"]["items"] > 0


def test_the_source_of_counts_is_named() -> None:
    opened = open_system("boards", samples=0)
    assert counting(opened) == COUNTED_HERE
    connection: Any = opened.db.connection
    opened.db.connection = object()  # type: ignore[assignment]
    assert counting(opened) == COUNTED_THERE
    assert counting(replace(opened, location="aws:eu-north-1")) == COUNTED_BY_AWS
    connection.close()
