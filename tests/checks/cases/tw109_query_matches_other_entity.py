from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.patterns import Find, Query
from tablewright.design.tables import Table

CODE = "TW109"
main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


class Startup(Entity, table=main, type="STARTUP"):
    startup_id: str
    founder_id: str
    keys = Keys(primary=("STARTUP#{startup_id}", "META"), GSI1=("USER#{founder_id}", "STARTUP#{startup_id}"))


class Role(Entity, table=main, type="ROLE"):
    startup_id: str
    role_id: str
    keys = Keys(primary=("STARTUP#{startup_id}", "ROLE#{role_id}"))


class Application(Entity, table=main, type="APPLICATION"):
    startup_id: str
    role_id: str
    user_id: str
    keys = Keys(primary=("STARTUP#{startup_id}#ROLE#{role_id}", "USER#{user_id}"))


class Audit(Entity, table=main, type="AUDIT"):
    user_id: str
    at: Timestamp
    audit_id: str
    keys = Keys(primary=("AUDIT#{audit_id}", "META"), GSI1=("USER#{user_id}", "AUDIT#{at}#{audit_id}"))


class Room(Entity, table=main, type="ROOM"):
    room_id: str
    members: list[str]
    keys = Keys(primary=("ROOM#{room_id}", "META"))
    by_member = Copy(each="members", name="member", primary=("STARTUP#{member}", "ROOM#{room_id}"))


class Roles(Query[Role]):
    startup_id: str
    key = "PK = STARTUP#{startup_id} AND begins_with(SK, ROLE#)"


class StartupWithRoles(Query[Startup | Role]):
    startup_id: str
    key = "PK = STARTUP#{startup_id}"


class StartupAlone(Query[Startup]):
    startup_id: str
    key = "PK = STARTUP#{startup_id}"


class StartupOfUser(Find[Startup]):
    founder_id: str
    key = "GSI1PK = USER#{founder_id}"


class LateAudit(Query[Audit]):
    user_id: str
    since: Timestamp
    until: Timestamp
    key = "GSI1PK = USER#{user_id} AND GSI1SK BETWEEN AUDIT#{since} AND AUDIT#{until}"


class RoleAndLater(Query[Role]):
    startup_id: str
    role_id: str
    key = "PK = STARTUP#{startup_id} AND SK >= ROLE#{role_id}"


ALL = [Startup, Role, Application, Audit]
passes = [
    Design("narrow", entities=ALL, patterns=[Roles]),
    Design("both", entities=ALL, patterns=[StartupWithRoles]),
    Design("a range", entities=ALL, patterns=[LateAudit]),
]
fails = [
    (
        Design("the whole partition", entities=ALL, patterns=[StartupAlone]),
        [("warning", "StartupAlone", 'Role writes "STARTUP#{startup_id}" / "ROLE#{role_id}"')],
    ),
    (
        Design("in an index", entities=ALL, patterns=[StartupOfUser]),
        [("warning", "StartupOfUser", "Audit writes")],
    ),
    (
        Design("an open range", entities=ALL, patterns=[RoleAndLater]),
        [("warning", "RoleAndLater", "Startup writes")],
    ),
    (
        Design("a copy", entities=[Startup, Room], patterns=[StartupAlone]),
        [("warning", "StartupAlone", "Room.by_member writes")],
    ),
]
