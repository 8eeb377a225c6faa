from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.keys.keys import Keys
from tablewright.design.tables import Table

CODE = "TW110"
main = Table("main", key="PK", literal=True)
alone = Table("alone", key="PK")


class User(Entity, table=main, type="USER"):
    user_id: str
    keys = Keys(primary="USER#{user_id}")


class Team(Entity, table=main, type="TEAM"):
    team_id: str
    keys = Keys(primary="TEAM#{team_id}")


class Untyped(Entity, table=main):
    room_id: str
    keys = Keys(primary="ROOM#{room_id}")


class Member(Entity, table=main, type="USER"):
    member_id: str
    keys = Keys(primary="MEMBER#{member_id}")


class Alone(Entity, table=alone):
    id: str
    keys = Keys(primary="{id}")


passes = [Design("types", entities=[User, Team]), Design("alone", entities=[Alone])]
fails = [
    (Design("no type", entities=[User, Untyped]), [("error", "Untyped", "no type")]),
    (
        Design("one type", entities=[User, Member, Team]),
        [("error", "Member", "the type 'USER'"), ("error", "User", "the type 'USER'")],
    ),
]
