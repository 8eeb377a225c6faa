from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.rates import Expect
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.patterns import Query
from tablewright.design.tables import Table

CODE = "TW304"
jobs = Table("jobs", key=("PK", "SK"), indexes=[Index("by-status", "accountId", "status")])


class Job(Entity, table=jobs):
    account_id: str
    job_id: str
    status: str
    retries: int
    keys = Keys(primary=("ACCOUNT#{account_id}", "JOB#{job_id}"))


class Setting(Entity, table=jobs, expect=Expect(per_partition=20)):
    account_id: str
    name: str
    enabled: bool
    keys = Keys(primary=("ACCOUNT#{account_id}", "SETTING#{name}"))


class ByKey(Query[Job]):
    account_id: str
    status: str
    key = "accountId = {account_id} AND status = {status}"


class Troubled(Query[Job]):
    account_id: str
    least: int
    filter = "retries > {least}"


class ByFilter(Query[Job]):
    account_id: str
    status: str
    least: int
    filter = "status = {status} AND retries > {least}"


class ByFilterInOrder(Query[Job]):
    account_id: str
    status: str
    key = "PK = ACCOUNT#{account_id} AND begins_with(SK, JOB#)"
    filter = "status = {status}"


class Enabled(Query[Setting]):
    account_id: str
    enabled: bool
    filter = "{enabled} = enabled"


passes = [Design("a key", patterns=[ByKey]), Design("not one value", patterns=[Troubled])]
fails = [
    (Design("a filter", patterns=[ByFilter]), [("warning", "ByFilter", "filters by status")]),
    (
        Design("a part of a partition", patterns=[ByFilterInOrder]),
        [
            (
                "warning",
                "ByFilterInOrder",
                "reads all items that match its key condition and filters by status",
            )
        ],
    ),
    (Design("of few", patterns=[Enabled]), [("info", "Enabled", "filters by enabled")]),
]
