from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys, Sparse
from tablewright.design.tables import Table

CODE = "TW004"
events = Table("events", key=("accountId", "timestamp"), indexes=[Index("by-place", "place")], literal=True)


class Event(Entity, table=events):
    account_id: str
    timestamp: str


class Composed(Entity, table=events):
    account_id: str
    timestamp: str
    event_id: str
    keys = Keys(primary=("{account_id}", "{timestamp}#{event_id}"))


class Sometimes(Entity, table=events):
    account_id: str
    timestamp: str
    place: str | None = None
    keys = Keys(indexes={"by-place": Sparse("{place}", when="place")})


class Staying(Entity, table=events):
    account_id: str
    timestamp: str
    place: str
    is_open: bool
    keys = Keys(indexes={"by-place": Sparse("{place}", when="is_open")})


passes = [
    Design("sparse by itself", entities=[Sometimes]),
    Design("the fields are the key", entities=[Event]),
]
fails = [
    (Design("both", entities=[Composed]), [("error", "Composed.timestamp", "which is also the key")]),
    (Design("sparse by another", entities=[Staying]), [("error", "Staying.place", "always stored")]),
]
