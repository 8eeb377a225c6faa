from datetime import date
from enum import StrEnum
from typing import Annotated

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.fields.rates import Expect, PerSecond
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.patterns import Query
from tablewright.design.tables import Table

CODE = "TW401"
main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])
documented = Table("documented", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")], literal=True)


class Status(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


class Ticket(Entity, table=main, expect=Expect(writes=PerSecond(5_000))):
    ticket_id: str
    keys = Keys(primary=("TICKET#{ticket_id}", "META"))


class Calm(Entity, table=main, expect=Expect(writes=PerSecond(10))):
    ticket_id: str
    status: Status
    keys = Keys(primary=("TICKET#{ticket_id}", "META"), GSI1=("STATUS#{status}", "{ticket_id}"))


class Catalogue(Entity, table=main, expect=Expect(items=60)):
    kind: str
    keys = Keys(primary=("KINDS", "{kind}"))


class Undeclared(Entity, table=main):
    ticket_id: str
    status: Status
    day: date
    keys = Keys(primary=("DAY#{day}", "{ticket_id}"), GSI1=("STATUS#{status}", "{ticket_id}"))


class Documented(Entity, table=documented):
    ticket_id: str
    status: Status
    day: date
    keys = Keys(primary=("DAY#{day}", "{ticket_id}"), GSI1=("STATUS#{status}", "{ticket_id}"))


class Constant(Entity, table=main):
    kind: str
    keys = Keys(primary=("KINDS", "{kind}"))


class Sharded(Entity, table=main, expect=Expect(writes=PerSecond(2_000))):
    ticket_id: str
    day: date
    keys = Keys(
        primary=("TICKET#{ticket_id}", "META"),
        GSI1=("DAY#{day:%Y%m%d}#{ticket_id:shard(8)}", "{ticket_id}"),
    )


class TooFewShards(Entity, table=main, expect=Expect(writes=PerSecond(2_000))):
    ticket_id: str
    day: date
    keys = Keys(
        primary=("TICKET#{ticket_id}", "META"),
        GSI1=("DAY#{day:%Y%m%d}#{ticket_id:shard(3)}", "{ticket_id}"),
    )


class Busy(Entity, table=main, expect=Expect(writes=PerSecond(800), size=3_000)):
    ticket_id: str
    status: Status
    keys = Keys(primary=("TICKET#{ticket_id}", "META"), GSI1=("STATUS#{status}", "{ticket_id}"))


class Warm(Entity, table=main, expect=Expect(writes=PerSecond(6_000))):
    region: Annotated[str, markers.Cardinality(10)]
    ticket_id: str
    keys = Keys(primary=("REGION#{region}", "{ticket_id}"))


class OpenTickets(Query[Calm]):
    status: Status
    key = "GSI1PK = STATUS#{status}"
    rate = PerSecond(500)
    expected_items = 100


class FewTickets(Query[Calm]):
    status: Status
    key = "GSI1PK = STATUS#{status}"
    rate = PerSecond(50)
    expected_items = 20


passes = [
    Design("many values", entities=[Ticket]),
    Design("few writes", entities=[Calm], patterns=[FewTickets]),
    Design("few items", entities=[Catalogue]),
    Design("no rate", entities=[Undeclared]),
    Design("shards", entities=[Sharded]),
]
fails = [
    (
        Design("no rate in a document", entities=[Documented]),
        [
            ("warning", "Documented", "one partition at a time"),
            ("warning", "Documented.GSI1", "2 partitions"),
        ],
    ),
    (Design("constant", entities=[Constant]), [("warning", "Constant", "go to one partition")]),
    (Design("few shards", entities=[TooFewShards]), [("warning", "TooFewShards.GSI1", "667 write units")]),
    (Design("over the limit", entities=[Busy]), [("error", "Busy.GSI1", "1,200 write units")]),
    (Design("over half of the limit", entities=[Warm]), [("warning", "Warm", "600 write units")]),
    (
        Design("reads", entities=[Calm], patterns=[OpenTickets]),
        [("error", "OpenTickets", "3,125 read units")],
    ),
]
