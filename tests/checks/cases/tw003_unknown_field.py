from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.patterns import Query
from tablewright.design.tables import Table

CODE = "TW003"
orders = Table("orders", key=("PK", "SK"), literal=True)


class Order(Entity, table=orders):
    order_id: str
    keys = Keys(primary=("ORDER#{order_id}", "META"))


class Misspelt(Entity, table=orders):
    order_id: str
    keys = Keys(primary=("ORDER#{order_id}", "LINE#{orderid}"))


class Copied(Entity, table=orders):
    order_id: str
    keys = Keys(primary=("ORDER#{order_id}", "META"))
    short = Copy(primary=("SHORT#{order_id}", "META"), fields=["total"])


class Totals(Query[Order]):
    order_id: str
    key = "PK = ORDER#{order_id}"
    fields = ("order_id", "total")


passes = [Design("all there", entities=[Order])]
fails = [
    (Design("misspelt", entities=[Misspelt]), [("error", "Misspelt.orderid", "has no field orderid")]),
    (Design("in a copy", entities=[Copied]), [("error", "Copied.total", "which the copy short needs")]),
    (Design("in a pattern", patterns=[Totals]), [("error", "Totals", "returns the field total")]),
]
