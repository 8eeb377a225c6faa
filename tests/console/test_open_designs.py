"""Open designs: tables by their names in the store."""

import pytest

from tablewright import Design, connect
from tablewright.console.open_designs import OpenDesign, by_name
from tablewright.errors import UsageError
from tests.console.sample_console import open_system
from tests.console.shop import Order, main, open_shop


def test_tables_are_found_by_their_names_in_the_store() -> None:
    opened = open_system("boards", samples=0)
    with opened.db:
        name = next(iter(opened.tables))
        assert opened.table(name) is opened.design.tables[0]
        with pytest.raises(UsageError, match="boards has no table absent; it has: "):
            opened.table("absent")


def test_designs_need_different_names() -> None:
    opened = open_system("boards", samples=0)
    with opened.db:
        assert by_name([opened]) == {"boards": opened}
        with pytest.raises(UsageError, match="two designs are named boards"):
            by_name([opened, opened])


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a%2fb", "a\\b"])
def test_a_name_that_cannot_be_in_an_address_is_an_error(name: str) -> None:
    with connect(Design(name, entities=[Order])) as db, pytest.raises(UsageError, match="cannot be shown"):
        by_name([OpenDesign(db, "Shop", "memory", "shop:design")])
    with connect(Design("<a> b?#", entities=[Order])) as db:
        assert list(by_name([OpenDesign(db, "Shop", "memory", "shop:design")])) == ["<a> b?#"]


def test_the_attributes_of_a_table_begin_with_those_of_the_entity() -> None:
    opened = open_shop()
    with opened.db:
        both, orders = opened.attributes_of(main), opened.attributes_of(main, Order.layout)
    assert set(both) == set(orders) >= {"email", "total", "GSI1PK", "type"}
    assert orders.index("total") < orders.index("email")
    assert both.index("email") < both.index("total")
