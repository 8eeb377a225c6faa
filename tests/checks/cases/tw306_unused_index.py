from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.patterns import Find, Get
from tablewright.design.tables import Table

CODE = "TW306"
users = Table("users", key="userId", indexes=[Index("email-index", "email")])


class User(Entity, table=users):
    user_id: str
    email: str


class UserById(Get[User]):
    user_id: str


class UserByEmail(Find[User]):
    email: str
    key = "email = {email}"


passes = [
    Design("used", entities=[User], patterns=[UserById, UserByEmail]),
    Design("no patterns yet", entities=[User]),
]
fails = [
    (Design("unused", entities=[User], patterns=[UserById]), [("warning", "users.email-index", "no pattern")])
]
