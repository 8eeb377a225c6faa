from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.patterns import Get, Query
from tablewright.design.tables import Table

CODE = "TW302"
users = Table("users", key="userId", indexes=[Index("email-index", "email")], literal=True)


class User(Entity, table=users):
    user_id: str
    email: str


class UserById(Get[User]):
    user_id: str
    consistent = True


class ByEmail(Query[User]):
    email: str
    key = "email = {email}"
    consistent = True


passes = [Design("of the table", patterns=[UserById])]
fails = [(Design("of an index", patterns=[ByEmail]), [("error", "ByEmail", "email-index")])]
