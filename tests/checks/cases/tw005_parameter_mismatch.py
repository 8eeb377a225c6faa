from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.patterns import Get, Query
from tablewright.design.tables import Table

CODE = "TW005"
users = Table("users", key="userId", indexes=[Index("email-index", "email")], literal=True)

orders = Table("orders", key=("userId", "orderId"), literal=True)


class User(Entity, table=users):
    user_id: str
    email: str


class UserById(Get[User]):
    user_id: str


class UserWithoutId(Get[User]):
    pass


class ByEmail(Query[User]):
    email: str
    country: str
    key = "email = {email}"


class ByMail(Query[User]):
    key = "email = {mail}"


class Order(Entity, table=orders):
    user_id: str
    order_id: str


class OrderOfUser(Get[Order]):
    user_id: str
    key = "userId = {user_id}"


class UserOfEmail(Get[User]):
    email: str
    key = "email = {email}"


passes = [Design("parameters match", patterns=[UserById])]
fails = [
    (
        Design("a get without parameters", patterns=[UserWithoutId]),
        [("error", "UserWithoutId", "needs user_id")],
    ),
    (Design("one too many", patterns=[ByEmail]), [("error", "ByEmail", "has the parameter country")]),
    (
        Design("half a key", patterns=[OrderOfUser]),
        [("error", "OrderOfUser", "without its sort key orderId")],
    ),
    (
        Design("a get of an index", patterns=[UserOfEmail]),
        [("error", "UserOfEmail", "from the index email-index")],
    ),
    (Design("another", patterns=[ByMail]), [("error", "ByMail", "uses mail in its key")]),
]
