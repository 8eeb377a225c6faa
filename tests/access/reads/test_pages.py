"""Pages: sequences of entities with a cursor, and what an iteration does with unknown items."""

from decimal import Decimal
from typing import Annotated, Any

import pytest

from tablewright import Entity, Table, fields
from tablewright.access.reads.pages import Page, PageBuilder, Row, known_items, page_of
from tablewright.errors import UnknownItem, UsageError
from tests.access import shop
from tests.access.reads.orders import put_raw, raw_order
from tests.access.shop import Customer

UNKNOWN = UnknownItem("things", {"id": {"S": "1"}}, {"id": {"S": "1"}}, "has no type")


def test_a_page_is_a_sequence() -> None:
    page = Page(("a", "b", "c"))
    assert (list(page), page[-1], page[1:], len(page)) == (["a", "b", "c"], "c", ("b", "c"), 3)


def test_a_page_that_leaves_items_out_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    PageBuilder(items=["a"]).page()
    other = UnknownItem("things", {"id": {"S": "1"}}, {"id": {"S": "1"}}, "has the type 'CAT'")
    other.is_of_other_type = True
    PageBuilder(unknown=[other]).page()
    assert not caplog.records
    PageBuilder(unknown=[other, UNKNOWN, UNKNOWN]).page()
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("tablewright.reads", "WARNING")
    assert record.getMessage() == f"a page leaves out 2 unknown item(s); the first: {UNKNOWN}"
    assert (record.__dict__["table"], record.__dict__["unknown"]) == ("things", 2)
    assert record.__dict__["key"] == "id = '1'"


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


def test_a_pattern_with_fields_returns_rows(db: Any, ada: Customer) -> None:
    pattern = shop.OrderTotals(customer_id="ada")
    page = db.rows(pattern, limit=2)
    assert [dict(row) for row in page] == [
        {"order_id": "000", "total": Decimal(0)},
        {"order_id": "001", "total": Decimal("0.5")},
    ]
    assert isinstance(page[0], Row)
    assert db.rows(pattern, cursor=page.cursor)[0]["order_id"] == "002"
    with pytest.raises(UsageError, match=r"db\.rows"):
        db.run(pattern)


def test_rows_of_a_pattern_without_fields(db: Any, ada: Customer) -> None:
    (row,) = db.rows(shop.CustomerById(customer_id="ada"))
    assert dict(row) == {"customer_id": "ada", "email": "ada@example.org", "name": "Ada"}
    assert list(db.rows(shop.CustomerById(customer_id="bob"))) == []


def test_an_invalid_value_is_unknown_by_its_field(db: Any) -> None:
    put_raw(db, shop.main, raw_order("ada", 1) | {"total": {"S": "much"}})
    (unknown,) = db.rows(shop.OrderTotals(customer_id="ada")).unknown
    assert isinstance(unknown, UnknownItem)
    assert "has no valid total of Order" in str(unknown)


def test_a_row_is_a_mapping() -> None:
    row = Row(Customer, {"email": "ada@example.org"})
    assert (dict(row), len(row), "name" in row) == ({"email": "ada@example.org"}, 1, False)
    assert repr(row) == "Row(Customer, email='ada@example.org')"


def test_a_row_masks_secrets() -> None:
    class Account(Entity, table=Table("accounts", key="id")):
        id: str
        token: Annotated[str, fields.Encrypted()]

    assert repr(Row(Account, {"id": "a", "token": "s3cret"})) == "Row(Account, id='a', token='***')"
