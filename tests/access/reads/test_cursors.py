"""Cursors: opaque, bound to their read, and rejected by any other read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import connect
from tablewright.access.reads import cursors
from tablewright.access.reads.cursors import make_cursor, read_cursor
from tablewright.access.repository import Repository
from tablewright.errors import BadCursor
from tests.access import shop
from tests.access.shop import Status, order

REQUEST: dict[str, Any] = {"TableName": "t", "ExpressionAttributeValues": {":0": {"S": "x"}}}
KEYS = st.dictionaries(
    st.text(min_size=1, max_size=8),
    st.one_of(
        st.text(max_size=20).map(lambda text: {"S": text}),
        st.integers().map(lambda number: {"N": str(number)}),
        st.binary(max_size=20).map(lambda content: {"B": content}),
    ),
    min_size=1,
    max_size=4,
)


@given(KEYS)
def test_a_key_round_trips(key: dict[str, Any]) -> None:
    assert read_cursor("P", REQUEST, make_cursor("P", REQUEST, key)) == key


@given(KEYS, st.data())
def test_any_change_is_detected(key: dict[str, Any], data: st.DataObject) -> None:
    cursor = make_cursor("P", REQUEST, key)
    place = data.draw(st.integers(0, len(cursor) - 1))
    other = data.draw(st.sampled_from("AZaz09-_=!é ").filter(lambda sign: sign != cursor[place]))
    with pytest.raises(BadCursor):
        read_cursor("P", REQUEST, cursor[:place] + other + cursor[place + 1 :])


@given(st.text())
def test_any_other_text_is_rejected(text: str) -> None:
    with pytest.raises(BadCursor):
        read_cursor("P", REQUEST, text)


@pytest.mark.parametrize("cut", [1, 2, 5, 20])
def test_a_truncated_cursor_is_rejected(cut: int) -> None:
    cursor = make_cursor("P", REQUEST, {"a": {"S": "x"}})
    for damaged in (cursor[:-cut], cursor[cut:], cursor + cursor[:cut], cursor + "="):
        with pytest.raises(BadCursor):
            read_cursor("P", REQUEST, damaged)


@pytest.mark.parametrize(
    "content",
    [
        b"5",
        b"[]",
        b"nonsense",
        b"[" * 4_000,
        b'{"id":5}',
        b'{"id":null}',
        b'{"id":{"S":5}}',
        b'{"id":{"B":"x"}}',
    ],
)
def test_a_cursor_with_other_content_is_rejected(content: bytes) -> None:
    """Cursors are not signed: a client can make one with a matching checksum."""
    body = cursors._binding("P", REQUEST) + content
    with pytest.raises(BadCursor):
        read_cursor("P", REQUEST, cursors._text_of(cursors._checksum(body) + body))


def test_a_cursor_of_another_version_is_rejected() -> None:
    cursor = make_cursor("P", REQUEST, {"a": {"S": "x"}})
    with pytest.raises(BadCursor, match="another version"):
        read_cursor("P", REQUEST, "2" + cursor[1:])


def test_a_cursor_works_with_another_limit() -> None:
    cursor = make_cursor("P", REQUEST | {"Limit": 1}, {"a": {"S": "x"}})
    assert read_cursor("P", REQUEST | {"Limit": 2}, cursor) == {"a": {"S": "x"}}


@pytest.fixture
def filled() -> Any:
    with connect(shop.gather(), environment="x") as db:
        for number in range(6):
            db.put(order("ada", number))
            db.put(order("bob", number))
        yield db


def test_a_cursor_belongs_to_its_pattern_and_parameters(filled: Repository) -> None:
    cursor = filled.run(shop.OrdersOf(customer_id="ada"), limit=2).cursor
    assert cursor is not None
    for other_pattern in (
        shop.OrdersOf(customer_id="bob"),
        shop.LatestOrdersOf(customer_id="ada"),
        shop.OrdersByStatus(status=Status.OPEN),
    ):
        with pytest.raises(BadCursor, match="another pattern or to other parameters"):
            filled.run(other_pattern, cursor=cursor)


def test_a_cursor_is_for_one_environment(filled: Repository) -> None:
    cursor = filled.run(shop.OrdersOf(customer_id="ada"), limit=2).cursor
    with connect(shop.gather(), environment="y") as other, pytest.raises(BadCursor):
        other.run(shop.OrdersOf(customer_id="ada"), cursor=cursor)


def test_a_cursor_works_after_its_item_was_deleted(filled: Repository) -> None:
    page = filled.run(shop.OrdersOf(customer_id="ada"), limit=2)
    for each in page:
        filled.delete(each)
    rest = filled.run(shop.OrdersOf(customer_id="ada"), cursor=page.cursor)
    assert [each.order_id for each in rest] == ["002", "003", "004", "005"]
