from datetime import date

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.tables import Table

CODE = "TW106"
chat = Table("chat", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


class Message(Entity, table=chat):
    room_id: str
    message_id: str
    user_id: str
    sent_at: Timestamp = markers.now()
    keys = Keys(
        primary=("ROOM#{room_id}", "MSG#{sent_at}#{message_id}"),
        GSI1=("USER#{user_id}", "{sent_at}#{message_id}"),
    )


class Feedback(Entity, table=chat):
    feedback_id: str
    sent_at: Timestamp
    keys = Keys(primary=("{feedback_id}", "{sent_at}"))


class Overwriting(Entity, table=chat):
    room_id: str
    sent_at: Timestamp
    keys = Keys(primary=("ROOM#{room_id}", "MSG#{sent_at}"))


class Tied(Entity, table=chat):
    room_id: str
    message_id: str
    user_id: str
    sent_at: Timestamp
    keys = Keys(primary=("ROOM#{room_id}", "MSG#{message_id}"), GSI1=("USER#{user_id}", "{sent_at}"))


class Visits(Entity, table=chat):
    room_id: str
    day: date
    keys = Keys(primary=("ROOM#{room_id}", "VISITS#{day}"))


class MonthlyVisits(Entity, table=chat):
    room_id: str
    month: str
    keys = Keys(primary=("ROOM#{room_id}", "VISITS#{month}"))


passes = [Design("an id at the end", entities=[Message]), Design("one in a partition", entities=[Feedback])]
fails = [
    (Design("primary", entities=[Overwriting]), [("error", "Overwriting.sent_at", "overwrites the first")]),
    (Design("a day", entities=[Visits]), [("warning", "Visits.day", "same day overwrites the first")]),
    (
        Design("a month", entities=[MonthlyVisits]),
        [("warning", "MonthlyVisits.month", "same month overwrites the first")],
    ),
    (Design("index", entities=[Tied]), [("warning", "Tied.sent_at", "no order")]),
]
