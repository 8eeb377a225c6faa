from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.patterns import Query
from tablewright.design.tables import Table

CODE = "TW314"
main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


class Ticket(Entity, table=main, type="TICKET"):
    ticket_id: str
    bucket: Annotated[int, Field(ge=0, lt=8)]
    level: Annotated[int, Field(ge=0, le=9)]
    keys = Keys(
        primary=("OPEN#{ticket_id:shard(8)}", "TICKET#{ticket_id}"), GSI1=("BUCKET#{bucket}", "LEVEL#{level}")
    )


class AllShards(Query[Ticket]):
    shard: Annotated[int, Field(ge=0, lt=8)]
    key = "PK = OPEN#{shard}"


class AnyShard(Query[Ticket]):
    shard: int
    key = "PK = OPEN#{shard}"


class SameTicket(Query[Ticket]):
    ticket_id: str
    key = "PK = OPEN#{ticket_id:shard(8)}"


class LowLevels(Query[Ticket]):
    bucket: Annotated[int, Field(ge=0, le=7)]
    level: Annotated[int, Field(ge=0, le=3)]
    key = "GSI1PK = BUCKET#{bucket} AND GSI1SK = LEVEL#{level}"


class FourShards(Query[Ticket]):
    shard: Annotated[int, Field(ge=0, lt=4)]
    key = "PK = OPEN#{shard}"


class NamedShards(Query[Ticket]):
    shard: Literal[0, 1, 2, 3]
    key = "PK = OPEN#{shard}"


class LaterBuckets(Query[Ticket]):
    bucket: Annotated[int, Field(ge=1, le=7)]
    key = "GSI1PK = BUCKET#{bucket}"


class FirstShard(Query[Ticket]):
    key = "PK = OPEN#0"


class DueTask(Entity, table=main, type="DUE"):
    task_id: str
    due_on: date
    keys = Keys(
        primary=("TASK#{task_id}", "TASK"), GSI1=("DUE#{due_on}#{task_id:shard(16)}#OPEN", "TASK#{task_id}")
    )


class DueInOneShard(Query[DueTask]):
    due_on: date
    key = "GSI1PK = DUE#{due_on}#07#OPEN"


class DueInShard(Query[DueTask]):
    due_on: date
    shard: int
    key = "GSI1PK = DUE#{due_on}#{shard:02}#OPEN"


class OpenCount(Entity, table=main, type="COUNT"):
    name: str
    keys = Keys(primary=("OPEN#COUNT", "{name}"))


class OpenCounts(Query[OpenCount]):
    key = "PK = OPEN#COUNT"


passes = [
    Design("all shards", patterns=[AllShards]),
    Design("any number", patterns=[AnyShard]),
    Design("the shard of a value", patterns=[SameTicket]),
    Design("a level is no shard", patterns=[LowLevels]),
    Design("a shard among other fields", entities=[DueTask], patterns=[DueInShard]),
    Design("text that is no shard", entities=[Ticket, OpenCount], patterns=[OpenCounts]),
]
fails = [
    (Design("half", patterns=[FourShards]), [("error", "FourShards", "shards 0 to 3, but Ticket writes PK")]),
    (Design("literal", patterns=[NamedShards]), [("error", "NamedShards", "shards 0 to 7")]),
    (
        Design("text", patterns=[FirstShard]),
        [("error", "FirstShard", "reads only the shard 0, but Ticket writes PK")],
    ),
    (
        Design("text in a key", patterns=[DueInOneShard]),
        [("error", "DueInOneShard", "reads only the shard 07, but DueTask")],
    ),
    (Design("not the first", patterns=[LaterBuckets]), [("error", "LaterBuckets", "shards 1 to 7, but")]),
]
