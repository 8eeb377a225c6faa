"""A page is requested as a whole: its size and its cursor."""

import pytest
from tablewright_systems.service import FIRST_PAGE, Paging
from tablewright_systems.verification import put_row

from systems.tests.service.shop import Letter, LettersOf, table
from tablewright import Repository


def test_pages_follow_each_other(db: Repository) -> None:
    for number in range(3):
        db.create(Letter(recipient="ada", mailing_id=f"{number}"))
    first = Paging(limit=2).run(db, LettersOf(recipient="ada"))
    second = Paging(2, first.cursor).run(db, LettersOf(recipient="ada"))
    assert [letter.mailing_id for letter in (*first, *second)] == ["0", "1", "2"]
    assert second.cursor is None


def test_first_page_has_the_default_size(db: Repository) -> None:
    for number in range(21):
        db.create(Letter(recipient="ada", mailing_id=f"{number:02}"))
    assert len(FIRST_PAGE.run(db, LettersOf(recipient="ada"))) == 20


def test_row_that_cannot_be_read_is_left_out_and_logged(
    db: Repository, caplog: pytest.LogCaptureFixture
) -> None:
    db.create(Letter(recipient="ada", mailing_id="m1"))
    put_row(db, table, {"PK": "LETTER#ada", "SK": "MAILING#m2", "type": "Postcard", "text": "secret"})
    assert [letter.mailing_id for letter in FIRST_PAGE.run(db, LettersOf(recipient="ada"))] == ["m1"]
    assert "MAILING#m2" in caplog.text
    assert "secret" not in caplog.text
