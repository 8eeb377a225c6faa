from typing import Annotated

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Vector
from tablewright.design.indexes import Index, VectorIndex
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.patterns import Find, Nearest, Query
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


texts = Table(
    "texts",
    key="id",
    vector_indexes=[
        VectorIndex("by-meaning", "meaning", 3),
        VectorIndex("by-type", "meaning", 3, filters="type"),
    ],
)


class Note(Entity, table=texts, type="NOTE"):
    id: str
    meaning: Annotated[list[float], Vector(3)]


class Mail(Entity, table=texts, type="MAIL"):
    id: str
    meaning: Annotated[list[float], Vector(3)]


class NotesAndMails(Nearest[Note]):
    meaning: list[float]
    index = "by-meaning"


class NotesOnly(Nearest[Note]):
    meaning: list[float]
    index = "by-type"


class Both(Nearest[Note | Mail]):
    meaning: list[float]
    index = "by-meaning"


ALL = [Startup, Role, Application, Audit]
passes = [
    Design("a search by type", entities=[Note, Mail], patterns=[NotesOnly, Both]),
    Design("narrow", entities=ALL, patterns=[Roles]),
    Design("both", entities=ALL, patterns=[StartupWithRoles]),
    Design("a range", entities=ALL, patterns=[LateAudit]),
]
fails = [
    (
        Design("a search", entities=[Note, Mail], patterns=[NotesAndMails]),
        [("warning", "NotesAndMails", "searches by-meaning, which also has the vectors of Mail")],
    ),
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
