from typing import Annotated

from pydantic import Field

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.tables import Table

CODE = "TW103"
jobs = Table("jobs", key=("PK", "SK"), indexes=[Index("by-status", "status")])
literal = Table("documented", key=("PK", "SK"), literal=True)


class Job(Entity, table=jobs):
    job_id: str
    status: str
    created_at: Timestamp = markers.now()
    keys = Keys(primary=("JOB#{job_id}", "{created_at}"))


class Country(Entity, table=jobs):
    country: str
    state: str = Field(frozen=True)
    keys = Keys(primary=("{country}", "STATE#{state}"))


class Place(Entity, table=jobs):
    country: str
    state: str
    place_id: str
    keys = Keys(primary=("PLACES", "COUNTRY#{country}#STATE#{state}#{place_id}"))


class Process(Entity, table=jobs):
    process_id: str
    state: str
    keys = Keys(primary=("PROCESS#{process_id}", "{state}"))


class OAuthRequest(Entity, table=jobs):
    state: str
    keys = Keys(primary=("OAUTH#{state}", "REQUEST"))


class ByStatus(Entity, table=jobs):
    job_id: str
    status: str
    keys = Keys(primary=("STATUS#{status}", "{job_id}"))


class ByTouch(Entity, table=literal):
    job_id: str
    updated_at: Timestamp = markers.touched()
    keys = Keys(primary=("JOB#{job_id}", "{updated_at}"))


class ByVersion(Entity, table=literal):
    job_id: str
    number: Annotated[int, markers.Version()] = 1
    keys = Keys(primary=("JOB#{job_id}", "{number:06}"))


passes = [
    Design("fields that never change", entities=[Job]),
    Design("frozen", entities=[Country]),
    Design("a state of a country", entities=[Place]),
    Design("an identity", entities=[OAuthRequest]),
]
fails = [
    (Design("by its name", entities=[ByStatus]), [("warning", "ByStatus.status", "probably changes")]),
    (Design("a state of a process", entities=[Process]), [("warning", "Process.state", "probably changes")]),
    (Design("touched", entities=[ByTouch]), [("error", "ByTouch.updated_at", "at every write")]),
    (Design("a version", entities=[ByVersion]), [("error", "ByVersion.number", "is a version")]),
]
