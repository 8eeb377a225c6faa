"""Find the notes that mean nearly the same: a vector index in a design. Run it with `python examples/similar_notes.py`.

The vectors are counts of three letters in a row, so that the example needs no model. With a model, `embedding` returns
its numbers.
"""

from collections import Counter
from math import hypot
from typing import Annotated
from zlib import crc32

from tablewright import Design, Entity, Nearest, Table, VectorIndex, connect, fields

DIMENSIONS = 256
NOTES = (
    "Feed the cats twice a day",
    "The cat sleeps on the sofa",
    "Pay the income tax in May",
    "Ask the tax office for more time",
    "Walk the dog before breakfast",
)


def embedding(text: str) -> list[float]:
    """The numbers of a text: how often each three letters occur in it, scaled to the length 1."""
    words = text.lower()
    counts = Counter(crc32(words[at : at + 3].encode()) % DIMENSIONS for at in range(len(words) - 2))
    length = hypot(*counts.values()) or 1.0
    return [counts[place] / length for place in range(DIMENSIONS)]


notes = Table("notes", key="noteId", vector_indexes=[VectorIndex("by-meaning", "meaning", DIMENSIONS)])


class Note(Entity, table=notes):
    note_id: str
    text: str
    meaning: Annotated[list[float], fields.Vector(DIMENSIONS)]


class SimilarNotes(Nearest[Note]):
    """Notes that mean nearly the same."""

    meaning: list[float]
    limit = 2


def main() -> None:
    with connect(Design("notes", entities=[Note], patterns=[SimilarNotes])) as db:
        for number, text in enumerate(NOTES):
            db.create(Note(note_id=f"n{number}", text=text, meaning=embedding(text)))
        for question in ("cats", "income tax"):
            print(f"{question}:")
            for note, score in db.run(SimilarNotes(meaning=embedding(question))):
                print(f"  {score:.2f} {note.text}")


if __name__ == "__main__":
    main()
