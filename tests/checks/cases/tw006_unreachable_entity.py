from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.patterns import Query
from tablewright.design.tables import Table

CODE = "TW006"
main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")], literal=True)


class User(Entity, table=main, type="USER"):
    user_id: str
    keys = Keys(primary=("USER#{user_id}", "PROFILE"))


class Profile(Query[User]):
    user_id: str
    key = "PK = USER#{user_id} AND begins_with(SK, PRO)"


class UsersByRole(Query[User]):
    role: str
    key = "GSI1PK = ROLE#{role}"


class Orders(Query[User]):
    user_id: str
    key = "PK = USER#{user_id} AND begins_with(SK, ORDER#)"


passes = [Design("entity in the index", entities=[User], patterns=[Profile])]
fails = [
    (Design("not in the index", patterns=[UsersByRole]), [("error", "UsersByRole", "has no key there")]),
    (Design("other keys", patterns=[Orders]), [("error", "Orders", 'User writes SK = "PROFILE"')]),
]
