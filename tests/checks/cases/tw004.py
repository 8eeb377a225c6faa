from tablewright.design.designs import Design
from tablewright.design.entities import Entity
from tablewright.design.keys import Keys
from tablewright.design.tables import Table

CODE = "TW004"
events = Table("events", key=("accountId", "timestamp"), literal=True)


class Event(Entity, table=events):
    account_id: str
    timestamp: str


class Composed(Entity, table=events):
    account_id: str
    timestamp: str
    event_id: str
    keys = Keys(primary=("{account_id}", "{timestamp}#{event_id}"))


passes = [Design("the fields are the key", entities=[Event])]
fails = [(Design("both", entities=[Composed]), [("error", "Composed.timestamp", "which is also the key")])]
