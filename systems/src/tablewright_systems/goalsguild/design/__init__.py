"""The design of GoalsGuild, in the order of the document."""

from tablewright import Design
from tablewright_systems.goalsguild.design import goals, offers, rooms, users

_parts = [Design.of(part) for part in (users, goals, rooms, offers)]

design = Design(
    "goalsguild",
    entities=[entity for part in _parts for entity in part.entities],
    patterns=[pattern for part in _parts for pattern in part.patterns],
    migrations="tablewright_systems.goalsguild.migrations",
)
