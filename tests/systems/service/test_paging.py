"""A page is requested as a whole: its size and its cursor."""

from tablewright import Repository
from tablewright_systems.service import FIRST_PAGE, Paging
from tests.systems.service.shop import Letter, LettersOf


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
