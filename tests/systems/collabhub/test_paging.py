"""Paging: cursors of named lists, and timestamps in keys."""

from datetime import UTC, datetime

import pytest

from tablewright import errors
from tablewright_systems.collabhub.paging import (
    format_timestamp,
    parse_timestamp,
    position,
    with_named_cursor,
)
from tablewright_systems.pagination import ResultPage

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_a_cursor_contains_the_position_in_its_list() -> None:
    page = with_named_cursor(ResultPage((1, 2), "key-2"), "numbers")
    assert position(page.cursor, "numbers") == "key-2"


def test_a_cursor_of_another_list_is_rejected() -> None:
    page = with_named_cursor(ResultPage((1, 2), "key-2"), "numbers")
    with pytest.raises(errors.BadCursor, match="another list"):
        position(page.cursor, "letters")


def test_the_last_page_has_no_cursor() -> None:
    page = with_named_cursor(ResultPage((1, 2), None), "numbers")
    assert page.cursor is None
    assert position(page.cursor, "numbers") is None


@pytest.mark.parametrize("cursor", ["", "x", "bm8=", "WzFd"])
def test_an_invalid_cursor_is_rejected(cursor: str) -> None:
    with pytest.raises(errors.BadCursor):
        position(cursor, "numbers")


def test_the_time_at_the_start_of_a_key_is_parsed() -> None:
    assert parse_timestamp(f"{format_timestamp(NOON)}#id") == NOON
    with pytest.raises(errors.BadCursor):
        parse_timestamp("yesterday#id")
