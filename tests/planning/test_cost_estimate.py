"""Cost estimates: requests, storage, recovery, provisioned capacity and notes."""

import pytest

from tablewright import Copy, Design, Entity, Get, Keys, Table, fields
from tablewright.design.billing import Autoscaled, Provisioned
from tablewright.planning.capacity_demand import CapacityResource, Units
from tablewright.planning.cost_estimate import break_even, differences, estimate
from tablewright.planning.prices import GB, load_prices
from tablewright.planning.workloads import Workload
from tests.planning.shop import BY_STATUS, only_table, shop, shop_in_two_classes, workload

PRICES = load_prices()


def test_a_rate_per_second_is_the_peak_and_others_are_averages() -> None:
    busy = Workload(peak=4)
    for rate, times, capacity in (
        (fields.PerSecond(8), 2 * 2_628_000, 12),
        (fields.PerMonth(2_628_000), 2_628_000, 6),
    ):
        found = estimate(shop(rate=rate), busy, PRICES)
        assert found.lines[0].times == times
        assert only_table(found).capacity[CapacityResource(found.tables[0].table)].read == capacity


def test_storage_adds_100_bytes_in_table_and_index() -> None:
    table = only_table(estimate(shop(indexes=(BY_STATUS,)), Workload(), PRICES))
    assert (table.items, table.item_bytes, table.bytes) == (1e6, 973e6, 2 * 1073e6)
    assert table.storage_cost == 0  # 25 GB are free


def test_free_storage_is_deducted_once() -> None:
    table = only_table(estimate(shop(), workload(items=100_000_000), PRICES))
    assert table.storage_cost == pytest.approx((table.bytes / GB - 25) * 0.25)


def test_recovery_backups_exports_and_streams() -> None:
    design = shop(indexes=(BY_STATUS,), point_in_time_recovery=True, stream="NEW_IMAGE")
    kept = {"backups": 2, "exports": 1, "restores": 0.5, "stream_reads": 12_500_000}
    month = Workload.model_validate({"tables": {"orders": kept}})
    size = 1073e6 / GB  # without the global index
    extras = {extra.name: extra.cost for extra in only_table(estimate(design, month, PRICES)).extras}
    assert extras == pytest.approx(
        {
            "point-in-time recovery": size * 0.20,
            "backups": 2 * size * 0.10,
            "exports": size * 0.10,
            "restores": 0.5 * size * 0.15,
            "stream": 100 * 0.02,
        }
    )


def test_provisioned_is_cheaper_above_break_even() -> None:
    even = break_even(PRICES.standard)
    assert even is not None
    assert (round(even.read, 3), round(even.write, 3)) == (0.289, 0.289)
    for share, is_cheaper in ((0.25, False), (0.33, True)):
        month = Workload.model_validate(
            {"peak": 1 / share, "entities": {"Order": {"create": share * 1_000 * 2_628_000}}}
        )
        table = only_table(estimate(shop(rate=fields.PerMonth(0)), month, PRICES))
        assert table.capacity[CapacityResource(table.table)] == Units(1, 1_000)
        assert table.provisioned_cost is not None
        assert (table.provisioned_cost < table.on_demand_cost) == is_cheaper


def test_declared_capacity_is_paid_and_may_be_too_small() -> None:
    table = only_table(estimate(shop(billing=Provisioned(5, 5)), workload(create=100 * 2_628_000), PRICES))
    assert table.request_cost == table.provisioned_cost == pytest.approx(730 * 5 * (0.00013 + 0.00065))
    assert [str(resource) for resource in table.short] == ["orders"]


def test_infrequent_access_has_its_own_prices() -> None:
    design = shop(table_class="STANDARD_INFREQUENT_ACCESS")
    table = only_table(estimate(design, workload(create=1_000_000), PRICES))
    assert table.on_demand_cost == pytest.approx(0.78)
    assert table.storage_cost == pytest.approx(table.bytes / GB * 0.10)
    assert table.provisioned_cost == pytest.approx(730 * (0.00081 + 0.00016))


def test_assumptions_are_noted() -> None:
    table = Table("rooms", key=("PK", "SK"), stream="KEYS_ONLY")

    class Room(Entity, table=table, type="ROOM"):
        room_id: str
        member_ids: list[str]
        keys = Keys(primary=("ROOM#{room_id}", "ROOM"))
        members = Copy(each="member_ids", name="member_id", primary=("ROOM#{room_id}", "MEMBER#{member_id}"))

    class RoomById(Get[Room]):
        room_id: str

    notes = estimate(Design("rooms", entities=[Room], patterns=[RoomById]), Workload(), PRICES).notes
    assert [note.rpartition(": ")[2] for note in notes] == [
        "RoomById",
        "Room",
        "Room",
        "Room",
        "Room.members",
        "rooms",
    ]


def test_autoscaled_capacity_follows_the_traffic() -> None:
    """100 writes a second on average, at 50 percent of the capacity."""
    scaled = Autoscaled(5, 5, max_read=50, max_write=1_000, target=50)
    table = only_table(estimate(shop(billing=scaled), workload(create=100 * 2_628_000), PRICES))
    (capacity,) = (table.declared_capacity or {}).values()
    assert capacity.read == 5
    assert capacity.write == pytest.approx(200, rel=0.01)
    assert table.short == ()
    small = Autoscaled(5, 5, max_read=50, max_write=60)
    table = only_table(estimate(shop(billing=small), workload(create=100 * 2_628_000), PRICES))
    assert [str(resource) for resource in table.short] == [table.table.name]


def test_free_storage_is_named() -> None:
    found = estimate(shop(), workload(create=1, items=1_000), PRICES)
    notes = [note for note in found.notes if "are free, and are deducted here" in note]
    assert len(notes) == (1 if PRICES.free_storage else 0)


def test_reserved_capacity_saves_what_aws_publishes() -> None:
    """About 54 percent for one year, and 77 percent for three."""
    found = estimate(shop(billing=Provisioned(1_000, 1_000)), workload(create=1), PRICES)
    whole = only_table(found).provisioned_cost
    assert whole is not None
    savings = [1 - (found.reserved_cost(reserved) or 0) / whole for reserved in PRICES.standard.reserved]
    assert savings == pytest.approx([0.54, 0.77], abs=0.005)
    small = estimate(shop(billing=Provisioned(99, 99)), workload(create=1), PRICES)
    for reserved in PRICES.standard.reserved:
        assert small.reserved_cost(reserved) == pytest.approx(only_table(small).provisioned_cost)


def test_reserved_capacity_leaves_tables_for_infrequent_access_as_they_are() -> None:
    found = estimate(shop_in_two_classes(), Workload(), PRICES)
    standard, rare = (table.provisioned_cost or 0 for table in found.tables)
    for reserved in PRICES.standard.reserved:
        cost = found.reserved_cost(reserved)
        assert cost is not None
        assert rare < cost < standard + rare


def test_an_index_makes_writes_more_expensive() -> None:
    month = workload(create=1_000_000, update=1_000_000, moves=0.5)
    before, after = (estimate(shop(indexes=indexes), month, PRICES) for indexes in ((), (BY_STATUS,)))
    found = {one.name: one for one in differences(before, after)}
    assert found["create Order"].by == pytest.approx(0.625)
    assert found["update Order"].by == pytest.approx(0.625 * 1.5)
    assert found["update Order"].why == "orders.by-status 0 -> 1.5 write"
    assert found["orders"].by == pytest.approx(0.625 * 2.5)
    assert {one.name: one.by for one in differences(after, before)} == {
        name: -one.by for name, one in found.items()
    }
    assert differences(after, after) == ()


def test_new_and_removed_lines_are_named() -> None:
    month = workload(create=1_000_000)
    empty, full = (estimate(design, month, PRICES) for design in (Design("shop"), shop()))
    assert {(one.name, one.why) for one in differences(empty, full)} == {
        ("create Order", "new"),
        ("orders", "new"),
    }
    assert {one.why for one in differences(full, empty)} == {"removed"}


def test_a_changed_rate_is_the_reason() -> None:
    before, after = (estimate(shop(), workload(create=times), PRICES) for times in (1_000_000, 3_000_000))
    (line,) = [one for one in differences(before, after) if one.what == "write"]
    assert line.why == "1,000,000 -> 3,000,000 times"
