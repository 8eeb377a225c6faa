from decimal import Decimal

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.patterns import Query
from tablewright.design.tables import Table

CODE = "TW309"
main = Table("main", key=("PK", "SK"), indexes=[Index("unsorted", "ownerId")])


class Application(Entity, table=main, type="APPLICATION"):
    role_id: str
    status: str
    applied_at: Timestamp
    application_id: str
    owner_id: str
    keys = Keys(primary=("ROLE#{role_id}", "{status}#{applied_at}#{application_id}"))


class Note(Entity, table=main, type="NOTE"):
    user_id: str
    note_id: str = markers.new_id()
    keys = Keys(primary=("USER#{user_id}", "NOTE#{note_id}"))


class Goal(Entity, table=main, type="GOAL"):
    user_id: str
    made_at: Timestamp
    goal_id: str
    keys = Keys(primary=("USER#{user_id}", "GOAL#{made_at}#{goal_id}"))


class Task(Entity, table=main, type="TASK"):
    user_id: str
    made_at: Timestamp
    task_id: str
    keys = Keys(primary=("USER#{user_id}", "TASK#{made_at}#{task_id}"))


class ByStatus(Query[Application]):
    role_id: str
    status: str
    key = "PK = ROLE#{role_id} AND begins_with(SK, {status}#)"
    descending = True


class Notes(Query[Note]):
    user_id: str
    descending = True


class Newest(Query[Application]):
    role_id: str
    key = "PK = ROLE#{role_id}"
    descending = True


class All(Query[Application]):
    role_id: str
    key = "PK = ROLE#{role_id}"


class OfOwner(Query[Application]):
    owner_id: str
    key = "ownerId = {owner_id}"
    descending = True


class Timeline(Query[Goal | Task]):
    user_id: str
    key = "PK = USER#{user_id}"


class Score(Entity, table=main, type="SCORE"):
    game: str
    points: int
    reached_at: Timestamp
    player: str
    keys = Keys(primary=("GAME#{game}", "SCORE#{points:06}#{reached_at}#{player}"))


class Balance(Entity, table=main, type="BALANCE"):
    bank: str
    amount: Decimal
    player: str
    keys = Keys(primary=("BANK#{bank}", "{player}"))


class Office(Entity, table=main, type="OFFICE"):
    firm: str
    country: str
    city: str
    opened_at: Timestamp
    office_id: str = markers.new_id()
    keys = Keys(primary=("FIRM#{firm}", "OFFICE#{country}#{city}#{office_id}"))


class Desk(Entity, table=main, type="DESK"):
    firm: str
    country: str
    city: str
    bought_at: Timestamp
    keys = Keys(primary=("FIRM#{firm}", "DESK#{country}#{city}#{bought_at}"))


class Leaders(Query[Score]):
    game: str
    key = "PK = GAME#{game}"
    descending = True


class Places(Query[Office]):
    firm: str
    country: str
    key = "PK = FIRM#{firm} AND begins_with(SK, OFFICE#{country}#)"


class Furniture(Query[Office | Desk]):
    firm: str
    key = "PK = FIRM#{firm}"


class NewestDesks(Query[Desk]):
    firm: str
    key = "PK = FIRM#{firm} AND begins_with(SK, DESK#)"
    descending = True


class Names(Query[Balance]):
    bank: str
    key = "PK = BANK#{bank}"
    descending = True


class Season(Entity, table=main, type="SEASON"):
    game: str
    season: str
    points: int
    reached_at: Timestamp
    keys = Keys(primary=("SEASONS#{game}", "{season}#{points:06}#{reached_at}"))


class AllSeasons(Query[Season]):
    game: str
    key = "PK = SEASONS#{game}"
    descending = True


class Device(Entity, table=main, type="DEVICE"):
    firm: str
    device_id: str
    keys = Keys(primary=("DEVICES#{firm}", "DEVICE#{device_id}"))


class NewestDevices(Query[Device]):
    firm: str
    key = "PK = DEVICES#{firm}"
    descending = True


passes = [
    Design("names from Z to A", patterns=[Names]),
    Design("points of many seasons", patterns=[AllSeasons]),
    Design("fixed", patterns=[ByStatus]),
    Design("by ULID", patterns=[Notes]),
    Design("a leaderboard", patterns=[Leaders]),
    Design("a hierarchy of places", patterns=[Places]),
    Design("hierarchies of two entities", patterns=[Furniture]),
]
fails = [
    (
        Design("newest of a hierarchy", patterns=[NewestDesks]),
        [("warning", "NewestDesks", "country, city is before")],
    ),
    (
        Design("random ids", patterns=[NewestDevices]),
        [("warning", "NewestDevices", "device_id is not a time")],
    ),
    (Design("status first", patterns=[Newest]), [("warning", "Newest", "status is before applied_at")]),
    (Design("grouped", patterns=[All]), [("info", "All", "status is before applied_at")]),
    (Design("no sort key", patterns=[OfOwner]), [("warning", "OfOwner", "no part of the sort key")]),
    (Design("a mixture", patterns=[Timeline]), [("warning", "Timeline", "grouped by GOAL#, TASK#")]),
]
