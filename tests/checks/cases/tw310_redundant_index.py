from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.patterns import Query
from tablewright.design.tables import Table

CODE = "TW310"
app = Table(
    "app", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK"), Index("GSI2", "GSI2PK", "GSI2SK")]
)


class Service(Entity, table=app):
    board_id: str
    service_id: str
    topic: str
    created_at: Timestamp

    keys = Keys(
        primary=("BOARD#{board_id}", "SERVICE#{service_id}"),
        GSI1=("BOARD#{board_id}", "TOPIC#{topic}#{service_id}"),
        GSI2=("BOARD#{board_id}", "{created_at}#{service_id}"),
    )


class Services(Query[Service]):
    board_id: str
    key = "GSI1PK = BOARD#{board_id}, begins_with(GSI1SK, TOPIC#)"


class ServicesOnTopic(Query[Service]):
    board_id: str
    topic: str
    key = "GSI1PK = BOARD#{board_id}, begins_with(GSI1SK, TOPIC#{topic}#)"


class NewestServices(Query[Service]):
    board_id: str
    key = "GSI2PK = BOARD#{board_id}"
    descending = True


passes = [
    Design("order of the index", patterns=[ServicesOnTopic]),
    Design("sorted by time", patterns=[NewestServices]),
]
fails = [
    (Design("all of the partition", patterns=[Services]), [("info", "Services", "app has the same items")])
]
