from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.patterns import Query
from tablewright.design.tables import Table

CODE = "TW301"
accounts = Table(
    "accounts",
    key="accountId",
    indexes=[Index("accountPath-index", "accountPath"), Index("tree", "rootId", "accountPath")],
    literal=True,
)


class Account(Entity, table=accounts):
    account_id: str
    account_path: str
    root_id: str


class Subtree(Query[Account]):
    root: str
    path: str
    key = "rootId = {root} AND begins_with(accountPath, {path}/)"


class InPath(Query[Account]):
    path: str
    key = "begins_with(accountPath, {path}/)"


passes = [Design("in the sort key", patterns=[Subtree])]
fails = [(Design("a prefix of a partition key", patterns=[InPath]), [("error", "InPath", "accountPath")])]
