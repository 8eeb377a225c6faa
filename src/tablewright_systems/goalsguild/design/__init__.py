"""The design of GoalsGuild, in the order of document 003."""

from tablewright import Design
from tablewright_systems.goalsguild.design import goals, logins, offers, rooms, timelines, users

_LOCKED = "the locks are items of the document, EmailUnique and NickUnique, in the same transaction"

_parts = [Design.of(part) for part in (users, goals, rooms, offers, timelines, logins)]

design = Design(
    "goalsguild",
    entities=[entity for part in _parts for entity in part.entities],
    patterns=[pattern for part in _parts for pattern in part.patterns],
    suppress={"TW307:User.email": _LOCKED, "TW307:User.nickname": _LOCKED},
)
