"""Pages of a list that is sorted in memory."""

import base64
from itertools import chain

import pytest
from tablewright_systems.service import Paging
from tablewright_systems.service.sorted_pages import sorted_page

from tablewright import errors

WORDS = ["pear", "fig", "apple", "plum", "lime"]


def pages(items: list[str], limit: int, *, descending: bool = False) -> list[list[str]]:
    found, cursor = [], None
    while True:
        page = sorted_page(items, Paging(limit, cursor), "words", lambda word: (word,), descending=descending)
        found.append(list(page))
        cursor = page.cursor
        if cursor is None:
            return found


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
