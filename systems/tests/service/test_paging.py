"""A page is requested as a whole: its size and its cursor."""

import base64
from datetime import UTC, datetime
from itertools import chain

import pytest
from tablewright_systems.service import ALL_TIME, FIRST_PAGE, Invalid, Paging, time_range
from tablewright_systems.service.paging import sorted_page
from tablewright_systems.verification import put_row

from systems.tests.service.shop import Letter, LettersOf, table
from tablewright import Repository, errors


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


EARLY, LATE = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)


def test_open_ends_are_all_time() -> None:
    assert time_range(None, None) == ALL_TIME
    assert time_range(EARLY, None) == {"start": EARLY, "end": ALL_TIME["end"]}


def test_range_that_ends_before_it_starts_is_invalid() -> None:
    assert time_range(EARLY, EARLY)["end"] == EARLY
    with pytest.raises(Invalid, match="end is before start"):
        time_range(LATE, EARLY)


WORDS = ["pear", "fig", "apple", "plum", "lime"]


def pages(items: list[str], limit: int, *, descending: bool = False) -> list[list[str]]:
    collected, cursor = [], None
    for _ in range(len(items) + 1):
        page = sorted_page(items, Paging(limit, cursor), "words", lambda word: (word,), descending=descending)
        collected.append(list(page))
        cursor = page.cursor
        if cursor is None:
            return collected
    pytest.fail("the pages do not end")


@pytest.mark.parametrize("limit", [1, 2, 5, 100])
def test_pages_have_all_items_in_order(limit: int) -> None:
    assert list(chain(*pages(WORDS, limit))) == sorted(WORDS)
    assert list(chain(*pages(WORDS, limit, descending=True))) == sorted(WORDS, reverse=True)
    assert all(len(page) <= limit for page in pages(WORDS, limit))


def test_last_page_has_no_cursor() -> None:
    assert len(pages(WORDS, 5)) == 1
    assert pages([], 5) == [[]]


def test_items_added_and_deleted_between_pages_shift_nothing() -> None:
    first = sorted_page(WORDS, Paging(2), "words", str)
    assert list(first) == ["apple", "fig"]
    changed = [*(word for word in WORDS if word != "fig"), "banana", "kiwi"]
    assert list(sorted_page(changed, Paging(9, first.cursor), "words", str)) == [
        "kiwi",
        "lime",
        "pear",
        "plum",
    ]


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "%%%", encoded("5"), encoded("[]"), encoded('["others", "a"]'), encoded('["words", 5]')],
)
def test_damaged_and_foreign_cursors_are_rejected(cursor: str) -> None:
    with pytest.raises(errors.BadCursor):
        sorted_page(WORDS, Paging(2, cursor), "words", str)
