"""Pages: sequences of entities with a cursor, and what an iteration does with unknown items."""

import pytest

from tablewright.access.reads.pages import Page, PageBuilder, known_items, page_of
from tablewright.errors import UnknownItem

UNKNOWN = UnknownItem("things", {"id": {"S": "1"}}, {"id": {"S": "1"}}, "has no type")


def test_a_page_is_a_sequence() -> None:
    page = Page(("a", "b", "c"))
    assert (list(page), page[-1], page[1:], len(page)) == (["a", "b", "c"], "c", ("b", "c"), 3)


def test_a_builder_makes_a_page() -> None:
    builder = PageBuilder()
    builder.items.append("a")
    builder.unknown.append(UNKNOWN)
    builder.consumed += 1.5
    assert builder.page("next") == Page(("a",), "next", (UNKNOWN,), 1.5)


def test_an_iteration_raises_or_skips_unknown_items() -> None:
    page = Page(("a",), unknown=(UNKNOWN,))
    assert known_items(page, "skip") == ("a",)
    with pytest.raises(UnknownItem, match="has no type"):
        known_items(page, "raise")
    assert known_items(Page(("a",)), "raise") == ("a",)


def test_every_result_can_be_a_page() -> None:
    page: Page[str] = Page(("a",), "next")
    same: Page[str] = page_of(page)
    assert same is page
    assert page_of("a") == Page(("a",))
    assert page_of(None) == Page(())


def test_a_page_is_mapped_with_its_cursor() -> None:
    assert Page((1, 2), "more", consumed=0.5).map(str) == Page(("1", "2"), "more", consumed=0.5)
