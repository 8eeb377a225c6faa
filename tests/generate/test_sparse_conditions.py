"""Sparse conditions in words, for each form of `when`."""

from decimal import Decimal
from enum import Enum

import pytest

from tablewright import Entity, Index, Keys, Sparse, Table
from tablewright.generate.sparse_conditions import index_condition

INDEXES = [f"ix{number}" for number in range(10)]
main = Table("main", key="PK", indexes=[Index(name, f"{name}PK", f"{name}SK") for name in INDEXES])


class Status(Enum):
    OPEN = "open"
    DONE = "done"


class Task(Entity, table=main):
    task_id: str
    status: Status
    urgent: bool
    points: Decimal
    label: str
    due: str | None = None
    read_at: str | None = None
    tags: list[str] | None = None
    keys = Keys(
        primary="TASK#{task_id}",
        ix0=("ALL", "{task_id}"),
        ix1=("DUE", "{due}"),
        ix2=Sparse("A", "{task_id}", when="urgent"),
        ix3=Sparse("A", "{task_id}", when=("urgent", "points", "label", "tags")),
        ix4=Sparse("A", "{task_id}", when={"status": Status.OPEN}),
        ix5=Sparse("A", "{task_id}", when={"status": "open", "urgent": False}),
        ix6=Sparse("A", "{task_id}", when={"read_at": None}),
        ix7=Sparse("A", "{due}", when={"points": Decimal("1.5")}),
        ix8=Sparse("A", "{due}", when="due"),
    )


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ("ix0", ""),
        ("ix1", "due has a value"),
        ("ix2", "urgent is true"),
        ("ix3", "urgent is true and points is not 0 and label is not empty and tags is not empty"),
        ("ix4", "status is open"),
        ("ix5", "status is open and urgent is false"),
        ("ix6", "read_at is absent"),
        ("ix7", "points is 1.5 and due has a value"),
        ("ix8", "due is not empty"),
    ],
)
def test_conditions_in_words(index: str, words: str) -> None:
    key = next(key for key in Task.layout.indexes if key.index is not None and key.index.name == index)
    assert index_condition(Task.layout, key) == words
