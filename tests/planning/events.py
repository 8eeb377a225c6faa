"""Events under an id of their own, with an index whose key is chosen by the test."""

from enum import StrEnum

from tablewright import Design, Entity, Index, Keys, Table, fields
from tablewright.planning.workloads import Workload

main_table = Table("events", key=("PK", "SK"), indexes=[Index("open", "GSI1PK", "GSI1SK")])
EVEN = Workload(skew=0)


class Kind(StrEnum):
    A = "a"
    B = "b"


def design_of(key: str, writes: float, table: Table = main_table) -> Design:
    class Event(
        Entity,
        table=table,
        type="EVENT",
        expect=fields.Expect(items=1_000_000, size=500, writes=fields.PerSecond(writes)),
    ):
        event_id: str = fields.new_id()
        user_id: str
        kind: Kind = Kind.A
        keys = Keys(primary=("EVENT#{event_id}", "EVENT"), open=(key, "{event_id}"))

    return Design("events", entities=[Event])
