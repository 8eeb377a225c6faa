"""A library of notes with vectors: a design for tests of searches."""

from typing import Annotated

from pydantic import Field

from tablewright import Copy, Design, Entity, Get, Keys, Nearest, Table, VectorIndex, fields

main = Table(
    "library-{env}",
    key=("PK", "SK"),
    ttl="expiresAt",
    types={"year": "N"},
    vector_indexes=[
        VectorIndex("by-meaning", "meaning", 3, partition="tenant", filters=("kind", "year", "type")),
        VectorIndex(
            "by-place", "place", 2, distance="EUCLIDEAN", projection=["title", "type", "noteId", "expiresAt"]
        ),
    ],
)


class Note(Entity, table=main, type="NOTE"):
    note_id: str
    tenant: str
    title: str
    kind: str = "memo"
    year: int = 2026
    meaning: Annotated[list[float], fields.Vector(3)]
    place: Annotated[list[float] | None, fields.Vector(2)] = None
    expires_at: int | None = None
    readers: list[str] = Field(default_factory=list)
    keys = Keys(primary=("NOTE#{note_id}", "NOTE"))
    by_reader = Copy(each="readers", name="reader", primary=("READER#{reader}", "NOTE#{note_id}"))


class Book(Entity, table=main, type="BOOK"):
    book_id: str
    tenant: str
    meaning: Annotated[list[float], fields.Vector(3)]
    keys = Keys(primary=("BOOK#{book_id}", "BOOK"))


class NoteById(Get[Note]):
    note_id: str


class SimilarNotes(Nearest[Note]):
    """Notes of a tenant that mean nearly the same."""

    meaning: list[float]
    tenant: str
    kind: str | None = None
    limit = 2


class SimilarMemos(Nearest[Note]):
    """Memos of a year."""

    meaning: list[float]
    tenant: str
    since: int
    filter = "kind = 'memo' AND year = {since}"


class SimilarTexts(Nearest[Note | Book]):
    """Notes and books of a tenant."""

    meaning: list[float]
    tenant: str


class TitlesNearby(Nearest[Note]):
    """The titles of the notes around a place."""

    place: list[float]
    fields = ("note_id", "title", "place")


design = Design(
    "library",
    entities=[Note, Book],
    patterns=[NoteById, SimilarNotes, SimilarMemos, SimilarTexts, TitlesNearby],
)


def note(name: str, *meaning: float, tenant: str = "acme", **values: object) -> Note:
    return Note.model_validate(
        {"note_id": name, "tenant": tenant, "title": name.title(), "meaning": list(meaning), **values},
        by_name=True,
    )
