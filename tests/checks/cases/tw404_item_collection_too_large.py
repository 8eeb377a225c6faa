from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.rates import Expect
from tablewright.design.indexes import Index
from tablewright.design.tables import Table

CODE = "TW404"
local = Table("orders", key=("userId", "orderId"), indexes=[Index("by-total", "userId", "total", local=True)])
world = Table("orders", key=("userId", "orderId"), indexes=[Index("by-total", "userId", "total")])


class Order(Entity, table=local, expect=Expect(per_partition=10_000, size=2_000)):
    user_id: str
    order_id: str


class Everywhere(Entity, table=world):
    user_id: str
    order_id: str


class Large(Entity, table=local, expect=Expect(per_partition=5_000_000, size=2_000)):
    user_id: str
    order_id: str


class Undeclared(Entity, table=local):
    user_id: str
    order_id: str


passes = [Design("small", entities=[Order]), Design("global", entities=[Everywhere])]
fails = [
    (Design("large", entities=[Large]), [("error", "orders.by-total", "will have 19 GB")]),
    (Design("size not declared", entities=[Undeclared]), [("info", "orders.by-total", "limited to 10 GB")]),
]
