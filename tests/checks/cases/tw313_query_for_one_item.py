from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.patterns import Get, Query
from tablewright.design.tables import Table

CODE = "TW313"
steps = Table("steps", key=("userId", "step"))


class Step(Entity, table=steps):
    user_id: str
    step: str


class StepOfUser(Get[Step]):
    user_id: str
    step: str


class StepsOfUser(Query[Step]):
    user_id: str


class OneStepOfUser(Query[Step]):
    user_id: str
    step: str


passes = [Design("a get, and a list", patterns=[StepOfUser, StepsOfUser])]
fails = [(Design("a list of one", patterns=[OneStepOfUser]), [("info", "OneStepOfUser", "one item at most")])]
