from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys, Sparse
from tablewright.design.tables import Table

CODE = "TW104"
index = Index("parents", "parentId")
accounts = Table("accounts", key="accountId", indexes=[index])
literal = Table("accounts", key="accountId", indexes=[index], literal=True)


class Account(Entity, table=accounts):
    account_id: str
    parent_id: str | None = None
    keys = Keys(parents=Sparse("{parent_id}", when="parent_id"))


class Required(Entity, table=accounts):
    account_id: str
    parent_id: str


class Optional(Entity, table=accounts):
    account_id: str
    parent_id: str | None = None


class Literal(Entity, table=literal):
    account_id: str
    parent_id: str | None = None


passes = [Design("sparse", entities=[Account]), Design("required", entities=[Required])]
fails = [
    (Design("optional", entities=[Optional]), [("warning", "Optional.parent_id", "may be None")]),
    (Design("written by others", entities=[Literal]), [("error", "Literal.parent_id", "rejects NULL")]),
]
