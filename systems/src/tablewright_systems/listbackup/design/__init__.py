"""The design, table by table, in the order of the document."""

from tablewright import Design, Table
from tablewright_systems.listbackup.design import (
    accounts,
    activities,
    archives,
    connections,
    jobs,
    memberships,
    notifications,
    oauth,
    sessions,
    sources,
    tags,
    teams,
    users,
)
from tablewright_systems.listbackup.design.vocabulary import AWS_MANAGED_KEY

_AREAS = (
    users,
    accounts,
    memberships,
    teams,
    sources,
    activities,
    jobs,
    archives,
    connections,
    oauth,
    sessions,
    tags,
    notifications,
)

design = Design(
    "listbackup",
    entities=[entity for area in _AREAS for entity in area.ENTITIES],
    patterns=[pattern for area in _AREAS for pattern in area.PATTERNS],
    key_table=Table("${AWS::StackName}-keys", key=("owner", "context"), encryption_key=AWS_MANAGED_KEY),
    migrations="tablewright_systems.listbackup.migrations",
)
