from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.keys.keys import Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.tables import Table

CODE = "TW102"
tasks = Table("tasks", key=("PK", "SK"), literal=True)


class Task(Entity, table=tasks):
    task_id: str
    due_at: Timestamp
    keys = Keys(primary=("TASK#{task_id}", "{due_at}"))


class Undated(Entity, table=tasks):
    task_id: str
    due_at: Timestamp | None = None
    keys = Keys(primary=("TASK#{task_id}", "{due_at}"))


passes = [Design("required", entities=[Task])]
fails = [(Design("optional", entities=[Undated]), [("error", "Undated.due_at", "may be None")])]
