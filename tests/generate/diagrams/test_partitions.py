"""Partitions: entities whose keys have the same form share one."""

from tablewright import Copy, Design, Entity, Index, Keys, Sparse, Table
from tablewright.generate.diagrams.partitions import Member, Partition, places

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
        Partition("USER#{id}", (Member("User", "PROFILE"), Member("Order", "ORDER#{order_id}"))),
        Partition("ORDER#{order_id}", (Member("Order", "ORDER", "copy listing"),)),
    )
    assert first.note == "global index, keys"
    assert first.partitions == (Partition("OPEN", (Member("Order", "{order_id}", "when open is true"),)),)
    assert second.partitions == ()
