"""The grid of rows: few elements, columns that stay where they are, roles, focus and the keyboard while it scrolls."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tablewright.console.open_designs import OpenDesign
from tests.console.browser.conftest import ConsolePage
from tests.console.browser.test_accessibility import violations
from tests.console.club_design import open_club

Start = Callable[..., ConsolePage]

MOST_ELEMENTS = 400
ATTRIBUTES = [f"field{number:02}" for number in range(30)]
COLUMNS = """
() => [...document.querySelectorAll('.grid-head > div')]
    .map((each) => [each.textContent, each.offsetLeft, each.offsetWidth])
"""
SCROLL = "(grid, [left, top]) => grid.scrollTo(left, top)"


def wide_club(count: int = 300) -> OpenDesign:
    """Open a design whose table has many items, each with 30 attributes."""
    opened = open_club()
    for start in range(0, count, 25):
        requests = [{"PutRequest": {"Item": _wide_item(number)}} for number in range(start, start + 25)]
        opened.db.connection.call("BatchWriteItem", {"RequestItems": {"club": requests}})
    return opened


def _wide_item(number: int) -> dict[str, Any]:
    values = {name: {"S": f"{name} of {number}"} for name in ATTRIBUTES}
    return {"PK": {"S": "LOG#1"}, "SK": {"S": f"{number:06}"}, **values}


def grid_of(page: Page) -> Locator:
    grid = page.locator(".grid[aria-label=Items]")
    expect(page.locator(".grid-row.item").first).to_be_visible()
    return grid


def row(page: Page, index: int) -> Locator:
    """Return a row by its index in the list; the header is the first row of the grid."""
    return page.locator(f".grid-row[aria-rowindex='{index + 2}']")


def elements(grid: Locator) -> int:
    return int(grid.evaluate("grid => grid.querySelectorAll('*').length"))


@pytest.mark.parametrize("size", [(1280, 800), (1600, 1000)], ids=["1280x800", "1600x1000"])
def test_the_items_of_a_system_need_few_elements(console_page: Start, size: tuple[int, int]) -> None:
    page = console_page("goalsguild", samples=8, size=size).open("items/gg_core")
    grid = grid_of(page)
    counts = {"top": elements(grid)}
    grid.evaluate(SCROLL, [0, 2800])
    expect(row(page, 110)).to_be_visible()
    counts["middle"] = elements(grid)
    grid.evaluate(SCROLL, [900, 2800])
    expect(grid).to_have_class(re.compile("sideways"))
    counts["sideways"] = elements(grid)
    assert max(counts.values()) <= MOST_ELEMENTS, counts
    assert min(counts.values()) > 100, counts


def test_wide_items_need_few_elements_and_have_all_their_roles(console_page: Start) -> None:
    page = console_page(wide_club()).open("items/club/LOG%231")
    grid = grid_of(page)
    expect(grid).to_have_attribute("aria-colcount", "23")
    expect(grid).to_have_attribute("aria-rowcount", "251")
    expect(row(page, 3).get_by_role("gridcell")).not_to_have_count(23)
    grid.evaluate(SCROLL, [100_000, 3000])
    cell = row(page, 110).get_by_text("field19 of 110")
    expect(cell).to_be_in_viewport()
    expect(cell).to_have_attribute("aria-colindex", "23")
    expect(row(page, 110).get_by_text("field02 of 110")).to_have_count(0)
    header = page.get_by_role("columnheader", name="field19")
    expect(header).to_have_attribute("aria-colindex", "23")
    assert header.bounding_box()["x"] == cell.bounding_box()["x"]  # type: ignore[index]
    for pinned in (row(page, 110).locator(".entity"), row(page, 110).get_by_text("000110")):
        expect(pinned).to_be_in_viewport(ratio=0.9)
    assert elements(grid) <= MOST_ELEMENTS
    assert violations(page) == []


def test_columns_stay_where_they_are_when_pages_arrive_and_the_grid_scrolls(console_page: Start) -> None:
    opened = open_club()
    put = opened.db.connection.call
    for number in range(600):  # the attributes of later pages are used more often
        names = ["first", "second"] if number < 260 else ["second", "third", "fourth"]
        item = {name: {"S": f"{name} {number}" * (1 if number < 260 else 3)} for name in names}
        put(
            "PutItem",
            {"TableName": "club", "Item": {"PK": {"S": "LOG#1"}, "SK": {"S": f"{number:06}"}, **item}},
        )
    page = console_page(opened).open("items/club/LOG%231")
    grid = grid_of(page)
    before = page.evaluate(COLUMNS)
    assert [each[0] for each in before] == ["Entity", "SK", "Size", "first", "second"]
    grid.evaluate(SCROLL, [0, 100_000])
    expect(page.locator(".totals")).to_contain_text("500 items")
    expect(page.get_by_role("columnheader", name="fourth")).to_have_count(1)
    assert page.evaluate(COLUMNS)[: len(before)] == before
    assert [each[0] for each in page.evaluate(COLUMNS)][-2:] == ["third", "fourth"]


def test_the_active_row_its_focus_and_its_selection_survive_scrolling(console_page: Start) -> None:
    page = console_page(wide_club()).open("items/club/LOG%231")
    grid = grid_of(page)
    grid.focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(row(page, 3)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    grid.evaluate(SCROLL, [2000, 5000])
    expect(row(page, 190)).to_be_visible()
    expect(grid).to_be_focused()
    assert page.locator("[id='" + (grid.get_attribute("aria-activedescendant") or "") + "']").count() == 1
    page.keyboard.press("ArrowDown")
    expect(row(page, 4)).to_be_in_viewport()
    expect(row(page, 4)).to_have_class(re.compile("active"))
    page.keyboard.press("End")
    expect(page.locator(".grid-row.active")).to_be_in_viewport()
    page.keyboard.press("Home")
    page.keyboard.press("PageDown")
    expect(page.locator(".grid-row.active")).to_be_in_viewport()


def test_a_focused_link_stays_in_the_document(console_page: Start) -> None:
    page = console_page(wide_club()).open("items/club")
    grid = grid_of(page)
    link = row(page, 5).locator("a.partition")
    link.focus()
    grid.evaluate(SCROLL, [3000, 6000])
    expect(row(page, 220)).to_be_visible()
    expect(link).to_be_focused()


def test_scrolling_less_than_a_row_renders_nothing(console_page: Start) -> None:
    page = console_page(wide_club(200)).open("items/club/LOG%231")
    grid = grid_of(page)
    expect(page.locator(".totals")).to_contain_text("200 items,")
    changes = grid.evaluate(
        """async (grid) => {
          const to = (top) => new Promise((done) => {
            grid.addEventListener("scroll", () => setTimeout(done), { once: true });
            grid.scrollTop = top;
          });
          await to(560);
          let count = 0;
          const watch = new MutationObserver((found) => { count += found.length; });
          watch.observe(grid, { subtree: true, childList: true, attributes: true, characterData: true });
          await to(570);
          const few = count;
          await to(700);
          return [few, count];
        }"""
    )
    assert changes[0] == 0
    assert changes[1] > 0


def test_dropped_pages_are_read_again_only_where_the_scroll_ends(console_page: Start) -> None:
    page = console_page(open_club()).open("items/club")
    grid_of(page)
    evaluate = page.evaluate(
        """async () => {
          const { Loaded } = await import("/page/views/items_loading.js");
          const cursors = [];
          const reply = (start) => ({
            items: Array.from({ length: 250 }, (_, at) => (
              { key: { PK: { S: `${start + at}` } }, item: {}, role: "unknown", entity: null }
            )),
            cursor: `${start + 250}`, examined: 250, returned: 250, capacity: 1, operation: "Scan", request: {},
          });
          window.fetch = async (_, { body }) => {
            const { cursor } = JSON.parse(body);
            cursors.push(cursor);
            return new Response(JSON.stringify(reply(Number(cursor ?? 0))));
          };
          let changes = 0;
          const loaded = new Loaded("/items/read", { table: "club" }, () => { changes += 1; });
          for (let count = 0; count < 70; count += 1) await loaded.more();
          const dropped = loaded.rows.filter((each) => each === null).length;
          cursors.length = 0;
          const first = loaded.inSight(0, 30);
          for (let from = 30; from < 2200; from += 30) loaded.inSight(from, from + 30);
          await first;
          const texts = [0, 600, 2190, 17_499].map((at) => loaded.rows[at]?.key.PK.S ?? null);
          const held = loaded.rows.filter((each) => each !== null).length;
          return { dropped, cursors, texts, held };
        }"""
    )
    assert evaluate["dropped"] == 10 * 250
    assert evaluate["cursors"] == [None, "2000"]
    assert evaluate["texts"] == ["0", None, "2190", "17499"]
    assert evaluate["held"] == 60 * 250
