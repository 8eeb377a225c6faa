from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.rates import Expect
from tablewright.design.indexes import Index
from tablewright.design.patterns import Query, Scan
from tablewright.design.tables import Table

CODE = "TW303"
users = Table("users", key="userId", indexes=[Index("email-index", "email")], literal=True)
kinds = Table("kinds", key="kind")


class User(Entity, table=users):
    user_id: str
    email: str


class Kind(Entity, table=kinds, expect=Expect(items=40)):
    kind: str


class ByEmail(Query[User]):
    email: str
    key = "email = {email}"


class AllUsers(Scan[User]):
    pass


class ByAccountAndEmail(Query[User]):
    account_email: str
    key = "account#email = {account_email}"


class Kinds(Scan[Kind]):
    pass


passes = [Design("by a key", patterns=[ByEmail])]
fails = [
    (Design("a scan", patterns=[AllUsers]), [("warning", "AllUsers", "every item of users")]),
    (Design("a small scan", entities=[Kind], patterns=[Kinds]), [("info", "Kinds", "all 40 items")]),
    (
        Design("no such key", patterns=[ByAccountAndEmail]),
        [("error", "ByAccountAndEmail", "fits neither")],
    ),
]
