from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Copy, Keys, Sparse
from tablewright.design.tables import Table

CODE = "TW101"
main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK")], types={"SK": "N"}, literal=True)


class Goal(Entity, table=main, type="GOAL"):
    goal_id: str
    number: int
    tags: list[str]
    is_open: bool
    keys = Keys(primary=("GOAL#{goal_id}", "{number}"), GSI1=Sparse("OPEN#{goal_id}", when="is_open"))
    by_tag = Copy(each="tags", name="tag", primary=("TAG#{tag}", "{number}"))


class OfList(Entity, table=main):
    goal_id: str
    number: int
    tags: list[str]
    keys = Keys(primary=("GOAL#{goal_id}", "{number}"), GSI1="TAG#{tags}")


class OfBoolean(Entity, table=main):
    goal_id: str
    number: int
    is_open: bool
    keys = Keys(primary=("GOAL#{goal_id}", "{number}"), GSI1="{is_open}")


class OfNumber(Entity, table=main):
    goal_id: str
    number: int
    keys = Keys(primary=("GOAL#{goal_id}", "NUMBER#{number}"))


passes = [Design("copies and sparse keys", entities=[Goal])]
fails = [
    (Design("a list", entities=[OfList]), [("error", "OfList.tags", "a list")]),
    (Design("a boolean", entities=[OfBoolean]), [("error", "OfBoolean.is_open", "a bool")]),
    (Design("text for a number", entities=[OfNumber]), [("error", "OfNumber.SK", "of type N")]),
]
