from enum import StrEnum
from typing import Literal

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.tables import Table

CODE = "TW107"
main = Table("main", key=("PK", "SK"), indexes=[Index("email", "email")])


class Kind(StrEnum):
    HOME = "HOME"
    WORK = "WORK"


class User(Entity, table=main, type="USER"):
    user_id: str
    keys = Keys(primary=("USER#{user_id}", "PROFILE"))


class Address(Entity, table=main, type="ADDRESS"):
    user_id: str
    kind: Kind
    keys = Keys(primary=("USER#{user_id}", "{kind}"))


class Order(Entity, table=main, type="ORDER"):
    user_id: str
    number: int
    keys = Keys(primary=("USER#{user_id}", "ORDER#{number:08}"))


class Preference(Entity, table=main, type="PREFERENCE"):
    user_id: str
    name: str
    keys = Keys(primary=("USER#{user_id}", "{name}"))


class Draft(Entity, table=main, type="DRAFT"):
    user_id: str
    text: str
    keys = Keys(primary=("USER#{user_id}", "ORDER#{text}"))


class Login(Entity, table=main, type="LOGIN"):
    user_id: str
    provider: Literal["PROFILE", "SAML"]
    keys = Keys(primary=("USER#{user_id}", "{provider}"))


class Room(Entity, table=main, type="ROOM"):
    room_id: str
    member_ids: list[str]
    keys = Keys(primary=("ROOM#{room_id}", "META"))
    members = Copy(each="member_ids", name="member", primary=("USER#{member}", "PROFILE"))


class Member(Entity, table=main, type="MEMBER"):
    member_id: str
    email: str
    keys = Keys(primary=("MEMBER#{member_id}", "PROFILE"))


class Invitation(Entity, table=main, type="INVITATION"):
    invitation_id: str
    email: str
    keys = Keys(primary=("INVITATION#{invitation_id}", "META"))


class Path(Entity, table=main, type="PATH"):
    path: str
    keys = Keys(primary=("USER#{path}", "META"))


class Device(Entity, table=main, type="DEVICE"):
    user_id: str
    device_id: str
    keys = Keys(primary=("USER#{user_id}#DEVICE#{device_id}", "META"))


passes = [Design("texts of their own", entities=[User, Address, Order])]
fails = [
    (
        Design("any text is also PROFILE", entities=[User, Preference]),
        [("error", "User", 'both can be "USER#a" / "PROFILE"')],
    ),
    (
        Design("a number is also a text", entities=[Order, Draft]),
        [("error", "Order", 'both can be "USER#a" / "ORDER#00000000"')],
    ),
    (
        Design("a value with a delimiter", entities=[Path, Device]),
        [("warning", "Path", '"USER#a#DEVICE#a" / "META"')],
    ),
    (Design("an index", entities=[Member, Invitation]), [("info", "Member.email", 'both can be "a"')]),
    (Design("a literal", entities=[User, Login]), [("error", "User", '"PROFILE"')]),
    (Design("a copy", entities=[User, Room]), [("error", "User", "Room.members writes")]),
]
