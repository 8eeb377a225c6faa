from tablewright.design.designs import Design
from tablewright.design.entities import Entity
from tablewright.design.keys import Keys
from tablewright.design.tables import Table

CODE = "TW003"
orders = Table("orders", key=("PK", "SK"), literal=True)


class Order(Entity, table=orders):
    order_id: str
    keys = Keys(primary=("ORDER#{order_id}", "META"))


class Misspelt(Entity, table=orders):
    order_id: str
    keys = Keys(primary=("ORDER#{order_id}", "LINE#{orderid}"))


passes = [Design("all there", entities=[Order])]
fails = [(Design("misspelt", entities=[Misspelt]), [("error", "Misspelt.orderid", "has no field orderid")])]
