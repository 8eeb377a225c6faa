"""Partitions: entities whose keys have the same form share one."""

from decimal import Decimal
from enum import Enum
from typing import Annotated

import pytest

from tablewright import Copy, Design, Entity, Index, Keys, Sparse, Table, fields
from tablewright.generate.diagrams.partitions import DiagramEntity, DiagramPartition, index_condition, places

main = Table(
    "main",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK", "GSI1SK", projection="KEYS_ONLY"), Index("GSI2", "GSI2PK", "GSI2SK")],
    ttl="ttl",
)


class User(Entity, table=main, type="USER"):
    id: str
    keys = Keys(primary=("USER#{id}", "PROFILE"))


class Order(Entity, table=main, type="ORDER"):
    user_id: str
    order_id: str
    open: bool
    keys = Keys(
        primary=("USER#{user_id}", "ORDER#{order_id}"), GSI1=Sparse("OPEN", "{order_id}", when="open")
    )
    listing = Copy(primary=("ORDER#{order_id}", "ORDER"))


def test_the_table_and_each_index_have_their_partitions() -> None:
    table, first, second = places(Design("shop", entities=[User, Order]), main)
    assert (table.keys, table.note) == ("PK, SK", "table, expiry in ttl")
    assert table.partitions == (
        DiagramPartition(
            "USER#{id}", (DiagramEntity("User", "PROFILE"), DiagramEntity("Order", "ORDER#{order_id}"))
        ),
        DiagramPartition("ORDER#{order_id}", (DiagramEntity("Order", "ORDER", "copy listing"),)),
    )
    assert first.note == "global index, keys"
    assert first.partitions == (
        DiagramPartition("OPEN", (DiagramEntity("Order", "{order_id}", "when open is true"),)),
    )
    assert second.partitions == ()


INDEXES = [f"ix{number}" for number in range(10)]
tasks = Table("main", key="PK", indexes=[Index(name, f"{name}PK", f"{name}SK") for name in INDEXES])


class Status(Enum):
    OPEN = "open"
    DONE = "done"


class Task(Entity, table=tasks):
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


def test_references_have_a_place_of_their_own() -> None:
    class Device(Entity, table=main, type="DEVICE"):
        user_id: Annotated[str, fields.OwnedBy(User)]
        device_id: str
        last_order: Annotated[str | None, fields.References(Order)] = None
        keys = Keys(primary=("USER#{user_id}", "DEVICE#{device_id}"))

    shown = places(Design("shop", entities=[User, Order, Device]), main)
    assert [place.name for place in shown] == ["main", "GSI1", "GSI2", "References"]
    assert shown[-1].partitions == (
        DiagramPartition("User", (DiagramEntity("Device", "user_id", "owned"),)),
        DiagramPartition("Order", (DiagramEntity("Device", "last_order"),)),
    )
