"""A shop with one entity and one pattern, with or without an index, for tests of estimates."""

from typing import Any

from tablewright import Design, Entity, Index, Keys, Query, Table, fields
from tablewright.planning.cost_estimate import Estimate, TableEstimate
from tablewright.planning.workloads import Workload

BY_STATUS = Index("by-status", "statusKey", "orderKey")


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
        expected_items = 10

    OrdersOf.rate = rate
    return Design("shop", entities=[Order], patterns=[OrdersOf])


def shop_in_two_classes() -> Design:
    """Little in a standard table, and much in a table for infrequent access."""
    orders = Table("orders", key=("PK", "SK"))
    archive = Table("archive", key=("PK", "SK"), table_class="STANDARD_INFREQUENT_ACCESS")
    writes = fields.PerSecond(1000)

    class Order(
        Entity, table=orders, type="ORDER", expect=fields.Expect(items=1_000_000, size=973, writes=writes)
    ):
        order_id: str
        keys = Keys(primary=("ORDER#{order_id}", "ORDER"))

    class OldOrder(
        Entity, table=archive, type="OLD", expect=fields.Expect(items=900_000_000, size=973, writes=writes)
    ):
        order_id: str
        keys = Keys(primary=("ORDER#{order_id}", "ORDER"))

    return Design("shop", entities=[Order, OldOrder])


def workload(**order: Any) -> Workload:
    return Workload.model_validate({"entities": {"Order": order}})


def only_table(found: Estimate) -> TableEstimate:
    (table,) = found.tables
    return table
