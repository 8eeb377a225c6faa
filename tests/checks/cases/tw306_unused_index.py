from typing import Annotated

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Vector
from tablewright.design.indexes import Index, VectorIndex
from tablewright.design.patterns import Find, Get, Nearest
from tablewright.design.tables import Table

CODE = "TW306"
users = Table("users", key="userId", indexes=[Index("email-index", "email")])


class User(Entity, table=users):
    user_id: str
    email: str


class UserById(Get[User]):
    user_id: str


class UserByEmail(Find[User]):
    email: str
    key = "email = {email}"


notes = Table("notes", key="noteId", vector_indexes=[VectorIndex("by-meaning", "meaning", 3)])


class Note(Entity, table=notes):
    note_id: str
    meaning: Annotated[list[float], Vector(3)]


class NoteById(Get[Note]):
    note_id: str


class SimilarNotes(Nearest[Note]):
    meaning: list[float]


passes = [
    Design("searched", entities=[Note], patterns=[NoteById, SimilarNotes]),
    Design("used", entities=[User], patterns=[UserById, UserByEmail]),
    Design("no patterns yet", entities=[User]),
]
fails = [
    (
        Design("not searched", entities=[Note], patterns=[NoteById]),
        [("warning", "notes.by-meaning", "no pattern searches the vector index")],
    ),
    (
        Design("unused", entities=[User], patterns=[UserById]),
        [("warning", "users.email-index", "no pattern")],
    ),
]
