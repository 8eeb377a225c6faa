"""Scaling targets: the capacities that AWS scales, by table and index."""

from tablewright import Index, Table, billing
from tablewright.generate.capacity_scaling import scaling_targets

SCALED = billing.Autoscaled(read=5, write=6, max_read=50, max_write=60)


def test_a_table_and_its_global_indexes_have_targets() -> None:
    table = Table(
        "things", "id", [Index("by-team", "team"), Index("local", "id", "x", local=True)], billing=SCALED
    )
    assert [
        (target.label, target.dimension, target.least, target.most) for target in scaling_targets(table)
    ] == [
        ("Read", "dynamodb:table:ReadCapacityUnits", 5, 50),
        ("Write", "dynamodb:table:WriteCapacityUnits", 6, 60),
        ("ByTeamRead", "dynamodb:index:ReadCapacityUnits", 5, 50),
        ("ByTeamWrite", "dynamodb:index:WriteCapacityUnits", 6, 60),
    ]


def test_an_index_may_scale_alone() -> None:
    table = Table(
        "things", "id", [Index("by-team", "team", billing=SCALED)], billing=billing.Provisioned(1, 1)
    )
    assert [target.index_path for target in scaling_targets(table)] == ["/index/by-team", "/index/by-team"]
