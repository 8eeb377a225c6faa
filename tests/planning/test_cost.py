"""`tablewright cost`: workloads, prices, tables, differences, and what is said when something is wrong."""

from pathlib import Path
from typing import Any

import pytest

from tablewright import Copy, Design, Entity, Get, Index, Keys, Query, Table, fields
from tablewright.design.tables.billing import Provisioned
from tablewright.errors import DesignError, UsageError
from tablewright.planning.capacity_demand import Place, Units
from tablewright.planning.cost_diff import differences
from tablewright.planning.cost_estimate import Estimate, TableEstimate, break_even, estimate
from tablewright.planning.prices import GB, load_prices
from tablewright.planning.workloads import Workload, load_workload
from tablewright_systems.student_hub import design as student_hub

HUB = "tablewright_systems.student_hub.design:design"
MONTH = str(Path(student_hub.__file__).with_name("workload.json"))
PRICES = load_prices()


def shop(
    *,
    rate: fields.PerSecond | fields.PerMonth | None = None,
    indexes: tuple[Index, ...] = (),
    **settings: Any,
) -> Design:
    orders = Table("orders", key=("PK", "SK"), indexes=indexes, **settings)

    class Order(Entity, table=orders, type="ORDER", expect=fields.Expect(items=1_000_000, size=973)):
        order_id: str
        user_id: str
        status: str = "open"
        keys = Keys(
            primary=("USER#{user_id}", "ORDER#{order_id}"),
            indexes={index.name: ("STATUS#{status}", "{order_id}") for index in indexes},
        )

    class OrdersOf(Query[Order]):
        user_id: str
        key = "PK = USER#{user_id}"
        items = 10

    OrdersOf.rate = rate
    return Design("shop", entities=[Order], patterns=[OrdersOf])


BY_STATUS = Index("by-status", "statusKey", "orderKey")


def workload(**order: Any) -> Workload:
    return Workload.model_validate({"entities": {"Order": order}})


def only_table(found: Estimate) -> TableEstimate:
    (table,) = found.tables
    return table


def test_rates_are_by_the_second_the_day_and_the_month() -> None:
    rates = (fields.PerSecond(1), fields.PerDay(86_400), fields.PerMonth(2_628_000))
    assert [rate.per_month for rate in rates] == [2_628_000] * 3
    assert [rate.per_second for rate in rates] == [1.0] * 3
    with pytest.raises(DesignError, match=r"PerDay\(-1\) is not a rate"):
        fields.PerDay(-1)


def test_a_rate_by_the_second_is_the_busiest_and_others_are_averages() -> None:
    busy = Workload(peak=4)
    for rate, times, capacity in (
        (fields.PerSecond(8), 2 * 2_628_000, 12),
        (fields.PerMonth(2_628_000), 2_628_000, 6),
    ):
        found = estimate(shop(rate=rate), busy, PRICES)
        assert found.lines[0].times == times
        assert only_table(found).capacity[Place(found.tables[0].table)].read == capacity


def test_what_is_stored_counts_100_bytes_more_in_table_and_index() -> None:
    table = only_table(estimate(shop(indexes=(BY_STATUS,)), Workload(), PRICES))
    assert (table.items, table.item_bytes, table.bytes) == (1e6, 973e6, 2 * 1073e6)
    assert table.storage_cost == 0  # 25 GB are free


def test_free_storage_is_free_once() -> None:
    found = only_table(estimate(shop(), workload(items=100_000_000), PRICES))
    assert found.storage_cost == pytest.approx((found.bytes / GB - 25) * 0.25)


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


def test_provisioned_is_cheaper_from_its_break_even_on() -> None:
    even = break_even(PRICES.standard)
    assert even is not None
    assert (round(even.read, 3), round(even.write, 3)) == (0.289, 0.289)
    for share, is_cheaper in ((0.25, False), (0.33, True)):
        month = Workload.model_validate(
            {"peak": 1 / share, "entities": {"Order": {"create": share * 1_000 * 2_628_000}}}
        )
        table = only_table(estimate(shop(rate=fields.PerMonth(0)), month, PRICES))
        assert table.capacity[Place(table.table)] == Units(1, 1_000)
        assert table.provisioned_cost is not None
        assert (table.provisioned_cost < table.on_demand_cost) == is_cheaper


def test_what_the_design_provisions_is_what_is_paid_and_may_be_too_little() -> None:
    table = only_table(estimate(shop(billing=Provisioned(5, 5)), workload(create=100 * 2_628_000), PRICES))
    assert table.request_cost == table.provisioned_cost == pytest.approx(730 * 5 * (0.00013 + 0.00065))
    assert [str(place) for place in table.short] == ["orders"]


def test_infrequent_access_has_its_own_prices() -> None:
    design = shop(table_class="STANDARD_INFREQUENT_ACCESS")
    table = only_table(estimate(design, workload(create=1_000_000), PRICES))
    assert table.on_demand_cost == pytest.approx(0.78)
    assert table.storage_cost == pytest.approx(table.bytes / GB * 0.10)
    assert table.provisioned_cost is None


def test_an_index_makes_writes_dearer_and_the_difference_says_which() -> None:
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


def test_a_price_that_is_needed_and_not_known_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "eu.json"
    file.write_text(
        '{"as_of": "2026-02", "regions": {"eu-north-1": {"standard": {"read": 0.3, "write": 1.5, "storage": 0.29}}}}'
    )
    prices = load_prices(file=file)
    assert (prices.region, prices.as_of) == ("eu-north-1", "2026-02")
    with pytest.raises(UsageError, match="the prices of eu-north-1 have no 'pitr'"):
        estimate(shop(point_in_time_recovery=True), Workload(), prices)


def test_what_is_assumed_is_said() -> None:
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


def test_names_of_either_design_will_do_for_a_comparison(tmp_path: Path) -> None:
    file = tmp_path / "month.json"
    file.write_text('{"entities": {"Order": {"moves": {"by-status": 0.5}}}}')
    assert load_workload(file, shop(), shop(indexes=(BY_STATUS,))).entities["Order"].moved("by-status") == 0.5
    with pytest.raises(UsageError, match="the design has no index by-status"):
        load_workload(file, shop())
