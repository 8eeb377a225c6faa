from datetime import datetime

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.keys.keys import Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.patterns import Query
from tablewright.design.tables import Table

CODE = "TW315"
main = Table("main", key=("PK", "SK"))


class Score(Entity, table=main, type="SCORE"):
    game: str
    points: int
    player: str
    keys = Keys(primary=("GAME#{game}", "{points:08 desc}#{player}"))


class Message(Entity, table=main, type="MESSAGE"):
    room: str
    sent_at: Timestamp
    message_id: str
    keys = Keys(primary=("ROOM#{room}", "{sent_at:desc}#{message_id}"))


class AtLeast(Query[Score]):
    game: str
    least: int
    key = "PK = GAME#{game} AND SK <= {least:08 desc}#~"


class FromTo(Query[Score]):
    game: str
    low: int
    high: int
    key = "PK = GAME#{game} AND SK BETWEEN {high:08 desc} AND {low:08 desc}#~"


class Neutral(Query[Score]):
    game: str
    points: int
    key = "PK = GAME#{game} AND SK > {points:08 desc}#~"


class Wrong(Query[Score]):
    game: str
    least: int
    key = "PK = GAME#{game} AND SK >= {least:08 desc}"


class WrongFromTo(Query[Score]):
    game: str
    low: int
    high: int
    key = "PK = GAME#{game} AND SK BETWEEN {low:08 desc} AND {high:08 desc}#~"


class WrongUntil(Query[Message]):
    room: str
    until: datetime
    key = "PK = ROOM#{room} AND SK < {until:desc}"


passes = [
    Design("at least", patterns=[AtLeast]),
    Design("from high to low", patterns=[FromTo]),
    Design("another name", patterns=[Neutral]),
]
fails = [
    (Design("more than", patterns=[Wrong]), [("warning", "Wrong", "{least:08 desc} is in descending order")]),
    (
        Design("low to high", patterns=[WrongFromTo]),
        [("warning", "WrongFromTo", "so low bounds the other end")],
    ),
    (Design("until", patterns=[WrongUntil]), [("warning", "WrongUntil", "so until bounds the other end")]),
]
