from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.keys.keys import Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.patterns import Query
from tablewright.design.tables import Table

CODE = "TW308"
events = Table("events", key=("PK", "SK"))


class Event(Entity, table=events):
    account_id: str
    event_id: str
    at: Timestamp
    keys = Keys(primary=("{account_id}", "{at}#{event_id}"))


class Reading(Entity, table=events):
    account_id: str
    at: Timestamp
    keys = Keys(primary=("{account_id}", "{at}"))


class Between(Query[Event]):
    account_id: str
    start: Timestamp
    end: Timestamp
    key = "PK = {account_id} AND SK BETWEEN {start} AND {end}#~"


class Readings(Query[Reading]):
    account_id: str
    start: Timestamp
    end: Timestamp
    key = "PK = {account_id} AND SK BETWEEN {start} AND {end}"


class Short(Query[Event]):
    account_id: str
    start: Timestamp
    end: Timestamp
    key = "PK = {account_id} AND SK BETWEEN {start} AND {end}"


class UpTo(Query[Event]):
    account_id: str
    end: Timestamp
    key = "PK = {account_id} AND SK <= {end}"


passes = [Design("over the end", patterns=[Between]), Design("nothing behind", patterns=[Readings])]
fails = [
    (Design("between", patterns=[Short]), [("warning", "Short", "excluded")]),
    (Design("up to", patterns=[UpTo]), [("warning", "UpTo", "excluded")]),
]
