"""The overview in a browser: the picture, its links, hovering an index, live requests, empty states."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from playwright.sync_api import expect
from tablewright_systems.collabhub.design import design as collabhub

from tablewright import connect
from tablewright.console.open_designs import OpenDesign
from tests.console.browser.conftest import ConsolePage
from tests.console.shop import open_shop

Start = Callable[..., ConsolePage]


def test_the_picture_shows_every_entity_and_links_to_its_items(console_page: Start) -> None:
    console = console_page("collabhub", samples=1)
    page = console.open()
    entities = [entity.__name__ for entity in console.server.designs[0].design.entities]
    expect(page.locator(".picture .row-entity")).to_have_count(len(entities))
    expect(page.locator(".facts")).to_contain_text("tables match the design")
    user = page.get_by_role("row").filter(has=page.get_by_title("Items of User", exact=True))
    expect(user).to_contain_text("if status is ACTIVE")
    user.get_by_title("Items of User", exact=True).click()
    expect(page).to_have_url(re.compile(r"#/collabhub/items/collabhub-main\?entity=User&role=entity$"))
    expect(page.locator(".legend")).to_have_text(re.compile(r"^User \d+$"))


def test_an_index_lights_up_its_entities_by_mouse_and_by_keyboard(console_page: Start) -> None:
    page = console_page("collabhub", samples=0).open()
    index = page.get_by_role("button", name="GSI4")
    index.hover()
    dimmed = page.locator(".picture tr.off")
    rows = page.locator(".picture tbody tr:not(.partition)")
    expect(dimmed).to_have_count(rows.count() - 1)  # only users have an e-mail address
    page.mouse.move(0, 0)
    expect(dimmed).to_have_count(0)
    index.focus()
    expect(dimmed).to_have_count(rows.count() - 1)
    page.keyboard.press("Enter")
    panel = page.locator("aside.panel")
    expect(panel).to_contain_text("all attributes")
    panel.get_by_role("button", name="Close details").focus()
    page.mouse.move(0, 0)
    expect(index).to_have_attribute("aria-expanded", "true")
    expect(dimmed).to_have_count(rows.count() - 1)  # as long as its panel is open
    page.get_by_role("button", name="GSI1", exact=True).hover()
    expect(page.locator(".picture thead th.on")).to_contain_text("GSI1")
    page.mouse.move(0, 0)
    page.keyboard.press("Escape")
    expect(dimmed).to_have_count(0)
    index.click()
    panel.get_by_role("link", name="UserByEmail").click()
    expect(page).to_have_url(re.compile("/patterns/UserByEmail$"))


def test_every_number_says_where_it_comes_from(console_page: Start) -> None:
    console = console_page("boards", samples=0)
    page = console.open()
    page.locator(".fact", has_text="Items").click()
    expect(page.locator("aside.panel")).to_contain_text("exact at this time")
    page.locator(".fact", has_text="Requests").click()
    expect(page.locator("aside.panel")).to_contain_text("requests that the process of this console executes")
    console.server.designs[0].db.connection.call("ListTables", {})
    expect(page.locator("aside.panel")).to_contain_text("ListTables")
    page.keyboard.press("Escape")
    expect(page.locator("aside.panel")).to_have_count(0)
    page.get_by_role("link", name="Findings").click()
    expect(page.get_by_role("tab", name="Findings")).to_have_attribute("aria-selected", "true")


def test_empty_states_show_the_command_to_run(console_page: Start) -> None:
    db = connect(collabhub, create=False)
    console = console_page(OpenDesign(db, "CollabHub", "shop.db", "collabhub:design"))
    page = console.open()
    expect(page.locator(".empty")).to_contain_text("tablewright deploy collabhub:design --on shop.db")
    db.connection.call("CreateTable", collabhub.tables[0].definition(None))
    page.get_by_role("button", name="Refresh").click()
    expect(page.locator(".empty")).to_contain_text(
        "tablewright generate samples collabhub:design --on shop.db"
    )


class _Remote:
    """An endpoint of another kind."""

    def __init__(self, connection: Any) -> None:
        self.call, self.close = connection.call, connection.close


def test_other_endpoints_are_compared_and_sampled_on_request(console_page: Start) -> None:
    opened = open_shop()
    opened.db.connection = _Remote(opened.db.connection)
    page = console_page(replace(opened, location="http://127.0.0.1:9")).open()
    drift = page.locator(".fact", has_text="Drift")
    expect(drift).to_contain_text("reads the tables' descriptions")
    drift.press("Enter")
    expect(drift).to_contain_text("tables match the design")
    card = page.get_by_label("Table shop", exact=True)
    expect(card).to_contain_text("reads up to 1,000 items, which consumes read capacity")
    card.get_by_role("button", name="Count entities").click()
    expect(card).to_contain_text("entities counted exactly")
    customer = card.get_by_role("row").filter(has=page.get_by_title("Items of Customer", exact=True))
    expect(customer.get_by_title("All items of the table were read")).to_have_text("1")


def test_the_overview_loads_again_when_the_server_is_back(console_page: Start) -> None:
    console = console_page("boards", samples=0)
    page = console.open()
    expect(page.locator(".table-card")).to_have_count(7)
    console.server.stop()
    page.get_by_role("button", name="Refresh").click()
    expect(page.locator(".banner")).to_contain_text("does not reply")
    expect(page.locator(".table-card")).to_have_count(7)
    opened = console.server.designs[0]
    opened.db.connection.call("DeleteTable", {"TableName": next(iter(opened.tables))})
    console.server.start()
    expect(page.locator(".banner")).to_have_count(0)
    expect(page.locator(".facts")).to_contain_text("1 missing")
