from typing import Annotated
from uuid import UUID

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.indexes import Index
from tablewright.design.patterns import Find, Query
from tablewright.design.tables import Table

CODE = "TW307"
users = Table("users", key="userId", indexes=[Index("email-index", "email"), Index("nick", "nickname")])
jobs = Table("jobs", key=("accountId", "jobId"), indexes=[Index("jobId-index", "jobId")])


class Locked(Entity, table=users):
    user_id: str
    email: Annotated[str, markers.Unique()]


class Job(Entity, table=jobs):
    account_id: str
    job_id: UUID


class NamedJob(Entity, table=jobs):
    account_id: str
    job_id: str


class User(Entity, table=users):
    user_id: str
    email: str
    nickname: str


class LockedByEmail(Find[Locked]):
    email: str
    key = "email = {email}"


class JobById(Find[Job]):
    job_id: UUID
    key = "jobId = {job_id}"


class NamedJobById(Find[NamedJob]):
    job_id: str
    key = "jobId = {job_id}"


class UserByEmail(Find[User]):
    email: str
    key = "email = {email}"


class UsersByNickname(Query[User]):
    nickname: str
    key = "nickname = {nickname}"


passes = [Design("a lock", patterns=[LockedByEmail]), Design("a UUID", patterns=[JobById])]
fails = [
    (Design("find", patterns=[UserByEmail]), [("warning", "User.email", "is a race")]),
    (Design("query", patterns=[UsersByNickname]), [("warning", "User.nickname", "is a race")]),
    (Design("an id by name", patterns=[NamedJobById]), [("info", "NamedJob.job_id", "need not be unique")]),
]
