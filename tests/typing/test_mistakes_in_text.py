"""Mistakes that no type checker sees, because names are text or keywords: rejected when a class is defined, or run."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from tablewright import Entity, Keys, Query, Repository, Sparse, connect, errors, events, writes
from tests.typing.library import Loan, Note, NoteById, User, design, main


@pytest.fixture
def db() -> Iterator[Repository]:
    with connect(design, environment="test") as db:
        db.create(Note(note_id="1"))
        yield db


def key_template() -> None:
    class Book(Entity, table=main, type="BOOK"):
        book_id: str
        keys = Keys(primary=("BOOK#{bok_id}", "BOOK"))


def sparse_condition() -> None:
    class Book(Entity, table=main, type="BOOK"):
        book_id: str
        is_lent: bool = False
        keys = Keys(
            primary=("BOOK#{book_id}", "BOOK"), GSI1=Sparse("LENT", "{book_id}", when={"is_lnt": True})
        )


def key_condition() -> None:
    class LoansOf(Query[Loan]):
        user_id: str
        key = "PK = USER#{usr_id}"


def filter_name() -> None:
    class LoansOf(Query[Loan]):
        user_id: str
        key = "PK = USER#{user_id}"
        filter = "titel = {user_id}"


def class_argument() -> None:
    class Book(Entity, tabel=main):
        book_id: str


def event_name() -> None:
    name: Any = "insrted"
    events.on(User, name)


@pytest.mark.parametrize(
    ("define", "message"),
    [
        (key_template, "bok_id"),
        (sparse_condition, "is_lnt"),
        (key_condition, "usr_id"),
        (filter_name, "titel"),
        (class_argument, r"Book has no class argument tabel; did you mean table\?"),
        (event_name, '"insrted" is not an event; use one of inserted, modified, removed, expired'),
    ],
)
def test_a_mistake_in_a_definition_is_rejected(define: Callable[[], None], message: str) -> None:
    with pytest.raises(errors.DesignError, match=message):
        define()


@pytest.mark.parametrize(
    "write",
    [
        lambda db: db.update(NoteById(note_id="1"), set={"txt": "x"}),
        lambda db: db.update(NoteById(note_id="1"), remove=["txt"]),
        lambda db: db.add(NoteById(note_id="1"), txt=1),
        lambda db: db.upsert(Note(note_id="1"), set={"txt": "x"}),
        lambda db: db.transact(writes.Update(NoteById(note_id="1"), set={"txt": "x"})),
        lambda db: Note(note_id="1").changed(txt="x"),
    ],
)
def test_a_misspelt_field_in_a_write_is_rejected(db: Repository, write: Callable[[Repository], Any]) -> None:
    with pytest.raises(errors.TablewrightError) as caught:
        write(db)
    shown = f"{caught.value} {caught.value.__cause__ or ''}"
    assert "Note has no field txt; did you mean text?" in shown


def test_values_from_a_mapping_are_validated() -> None:
    values: dict[str, Any] = {"note_id": "1", "txt": "x"}
    with pytest.raises(ValidationError, match=r"Note has no field txt; did you mean text\?"):
        Note(**values)
