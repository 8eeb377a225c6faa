"""Cursors: opaque, bound to their read, rejected by any other read, and unable to leave its partition."""

import json
import zlib
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import Query, connect
from tablewright.access import cursors as cursors_module
from tablewright.access.cursors import Cursors, binding_of
from tablewright.access.repository import Repository
from tablewright.errors import BadCursor, UsageError
from tests.access import shop
from tests.access.shop import Status, order

REQUEST: dict[str, Any] = {"TableName": "t", "ExpressionAttributeValues": {":0": {"S": "x"}}}
BINDING = binding_of("P", REQUEST)
KEY = "0123456789abcdef"
OTHER_KEY = "another secret of a server"
POSITIONS = st.lists(st.text(max_size=20), max_size=4)
both = pytest.mark.parametrize("cursors", [Cursors(), Cursors(KEY)], ids=["unsigned", "signed"])


def read(cursors: Cursors, cursor: str) -> Any:
    return cursors.read(BINDING, cursor, "P")


def forged(binding: bytes, content: bytes) -> str:
    """An unsigned cursor as a client can make it: with a matching checksum."""
    body = binding + content
    return cursors_module._text_of("2", cursors_module._checksum(body) + body)


@both
@given(position=POSITIONS)
def test_a_position_round_trips(cursors: Cursors, position: list[str]) -> None:
    assert read(cursors, cursors.make(BINDING, position)) == position


@both
@given(position=POSITIONS, data=st.data())
def test_any_change_is_detected(cursors: Cursors, position: list[str], data: st.DataObject) -> None:
    cursor = cursors.make(BINDING, position)
    place = data.draw(st.integers(0, len(cursor) - 1))
    other = data.draw(st.sampled_from("AZaz09-_=!é ").filter(lambda sign: sign != cursor[place]))
    with pytest.raises(BadCursor):
        read(cursors, cursor[:place] + other + cursor[place + 1 :])


@both
@given(text=st.text())
def test_any_other_text_is_rejected(cursors: Cursors, text: str) -> None:
    with pytest.raises(BadCursor):
        read(cursors, text)


@both
@pytest.mark.parametrize("cut", [1, 2, 5, 20])
def test_a_truncated_cursor_is_rejected(cursors: Cursors, cut: int) -> None:
    cursor = cursors.make(BINDING, ["x"])
    for damaged in (cursor[:-cut], cursor[cut:], cursor + cursor[:cut], cursor + "="):
        with pytest.raises(BadCursor):
            read(cursors, damaged)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"nonsense",
        zlib.compress(b"nonsense"),
        zlib.compress(b"[" * 40_000),
        zlib.compress(b"\xff"),
        zlib.compress(b"[]") + b"more",
        zlib.compress(b"[]")[:-1],
        zlib.compress(b" " * (1 << 21)),
    ],
)
def test_a_forged_cursor_with_other_content_is_rejected(content: bytes) -> None:
    with pytest.raises(BadCursor):
        read(Cursors(), forged(BINDING, content))


def test_a_cursor_of_another_version_is_rejected() -> None:
    cursor = Cursors().make(BINDING, ["x"])
    with pytest.raises(BadCursor, match="another version"):
        read(Cursors(), "1" + cursor[1:])


def test_the_limit_is_not_part_of_the_binding() -> None:
    assert binding_of("P", REQUEST | {"Limit": 1}) == binding_of("P", REQUEST | {"Limit": 2})


def test_a_signed_cursor_needs_its_key() -> None:
    cursor = Cursors(KEY).make(BINDING, ["x"])
    with pytest.raises(BadCursor, match="damaged"):
        read(Cursors(OTHER_KEY), cursor)
    with pytest.raises(BadCursor, match="no cursor_key"):
        read(Cursors(), cursor)


def test_an_unsigned_cursor_is_rejected_where_cursors_are_signed() -> None:
    with pytest.raises(BadCursor, match="not signed"):
        read(Cursors(KEY), Cursors().make(BINDING, ["x"]))
    with pytest.raises(BadCursor, match="damaged"):
        read(Cursors(KEY), "s" + Cursors().make(BINDING, ["x"])[1:])


def test_a_key_can_be_replaced() -> None:
    old, both_keys = Cursors(KEY), Cursors([OTHER_KEY.encode(), KEY])
    assert read(both_keys, old.make(BINDING, ["x"])) == ["x"]
    assert read(Cursors(OTHER_KEY), both_keys.make(BINDING, ["x"])) == ["x"]


def test_a_short_key_is_rejected() -> None:
    with pytest.raises(UsageError, match="fewer than 16 bytes; make one with"):
        connect(shop.gather(), environment="x", cursor_key="short")


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


def test_signed_pages_continue(filled: Repository) -> None:
    with connect(shop.gather(), filled.connection, environment="x", cursor_key=KEY) as db:
        first = db.run(shop.OrdersOf(customer_id="ada"), limit=4)
        assert first.cursor is not None
        assert first.cursor.startswith("s")
        rest = db.run(shop.OrdersOf(customer_id="ada"), cursor=first.cursor)
        assert [each.order_id for each in (*first, *rest)] == [f"{number:03}" for number in range(6)]
        with pytest.raises(BadCursor, match="not signed"):
            db.run(shop.OrdersOf(customer_id="ada"), cursor="2" + first.cursor[1:])


def position_of(*values: object) -> bytes:
    return zlib.compress(json.dumps(values).encode())


def own_binding(db: Any, pattern: Any) -> bytes:
    read: Any = db._reads.of(pattern) if isinstance(db, Repository) else db._repository._reads.of(pattern)
    binding: bytes = read.binding(read.request_of(pattern))
    return binding


FOREIGN = ["ORDER#002", "PROFILE", "", "~", "\x00", "CUSTOMER#bob", "A" * 2000]


@pytest.mark.parametrize("sort_key", FOREIGN)
def test_a_forged_position_stays_in_the_partition(db: Any, sort_key: str) -> None:
    """A client can forge any position of an unsigned cursor; the partition comes from the pattern."""
    for name in ("ada", "bob"):
        for number in range(4):
            db.put(order(name, number))
    pattern = shop.OrdersOf(customer_id="ada")
    cursor = forged(own_binding(db, pattern), position_of(sort_key))
    try:
        found = db.run(pattern, cursor=cursor)
    except BadCursor:
        return
    assert {each.customer_id for each in found} <= {"ada"}


@pytest.mark.parametrize("foreign", [("2026", "CUSTOMER#bob", "ORDER#000"), ("x", "", ""), ("~", "~", "~")])
def test_a_forged_position_of_an_index_stays_in_its_partition(db: Any, foreign: tuple[str, ...]) -> None:
    for number in range(4):
        db.put(order("ada", number, status=Status.OPEN if number % 2 else Status.PAID))
    pattern = shop.OrdersByStatus(status=Status.OPEN)
    cursor = forged(own_binding(db, pattern), position_of(*foreign))
    try:
        found = db.run(pattern, cursor=cursor)
    except BadCursor:
        return
    assert {each.status for each in found} <= {Status.OPEN}


@pytest.mark.parametrize("values", [(), ("a", "b"), (5,), (None,), ({"S": "x"},), (["x"],)])
def test_a_forged_position_of_another_form_is_rejected(filled: Repository, values: tuple[Any, ...]) -> None:
    pattern = shop.OrdersOf(customer_id="ada")
    with pytest.raises(BadCursor, match="damaged"):
        filled.run(pattern, cursor=forged(own_binding(filled, pattern), position_of(*values)))


def test_a_cursor_does_not_contain_the_partition_key(filled: Repository) -> None:
    read: Any = filled._reads.of(shop.OrdersOf(customer_id="ada"))
    assert read.compiled.open_attributes == ("SK",)
    by_status: Any = filled._reads.of(shop.OrdersByStatus(status=Status.OPEN))
    assert by_status.compiled.open_attributes == ("GSI1SK", "PK", "SK")


class OrdersUntil(Query[shop.Order]):
    customer_id: str
    until: str
    total: Decimal
    key = "PK = CUSTOMER#{customer_id} AND SK <= {until}"
    filter = "total >= {total}"
    cursor_ignores = ("until", "total")


def test_a_cursor_continues_with_another_value_of_an_ignored_parameter(filled: Repository) -> None:
    first = filled.run(OrdersUntil(customer_id="ada", until="ORDER#003", total=Decimal(0)), limit=2)
    rest = filled.run(
        OrdersUntil(customer_id="ada", until="ORDER#004", total=Decimal(-1)), cursor=first.cursor
    )
    assert [each.order_id for each in (*first, *rest)] == ["000", "001", "002", "003", "004"]
    with pytest.raises(BadCursor):
        filled.run(OrdersUntil(customer_id="bob", until="ORDER#004", total=Decimal(0)), cursor=first.cursor)
    with pytest.raises(BadCursor, match="damaged"):
        filled.run(OrdersUntil(customer_id="ada", until="ORDER#000", total=Decimal(0)), cursor=first.cursor)
