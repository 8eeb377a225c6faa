"""The items view in a browser: partitions, details, indexes, filters, links, large tables, hostile items."""

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.console.browser.conftest import CLIPBOARD, ConsolePage, wait_until
from tests.console.browser.test_accessibility import violations
from tests.console.club_design import advance, open_club, put

Start = Callable[..., ConsolePage]


def rows(page: Page) -> Any:
    return page.locator(".grid-row.item")


def test_a_partition_its_details_and_its_indexes_by_mouse(console_page: Start) -> None:
    page = console_page(open_club()).open("items/club")
    page.locator("a.partition", has_text="MEMBER#m1").first.click()
    expect(rows(page)).to_have_count(4)
    expect(page.locator(".totals")).to_have_text(re.compile("4 items, 4 examined"))
    rows(page).filter(has_text="Paint").click()
    details = page.locator("aside.panel")
    expect(details.locator(".index-states li", has_text="open").first).to_contain_text("present")
    expect(details).to_contain_text("Task has no key in GSI1")
    details.locator(".dependents a").click()
    expect(page.locator("aside.panel .marks")).to_contain_text("copy of MEMBER#m1 · TASK#t1")
    page.locator("aside.panel .marks a").click()
    expect(page.locator("nav.location")).to_contain_text("MEMBER#m1")
    page.get_by_role("tab", name="open").click()
    expect(rows(page).filter(has_text="Sweep").locator(".tag", has_text="absent")).to_have_attribute(
        "title", re.compile("only if is_open has a true value")
    )
    expect(page.locator(".grid-row.item .tag", has_text="present")).to_have_count(2)
    expect(rows(page).filter(has_text="Old").locator(".tag.warn")).to_have_text("expired")
    assert violations(page) == []


def test_a_reference_opens_its_item(console_page: Start) -> None:
    page = console_page(open_club()).open("items/scores/GAME%23chess")
    rows(page).first.click()
    page.locator("aside.panel .links a", has_text="MEMBER#m1 · PROFILE").click()
    expect(page.locator("nav.location")).to_contain_text("MEMBER#m1")
    expect(page.locator("aside.panel")).to_contain_text("PROFILE")


def test_items_by_keyboard_alone(console_page: Start) -> None:
    page = console_page(open_club()).open("items/club/MEMBER%23m1")
    expect(rows(page)).to_have_count(4)
    page.locator(".grid").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("aside.panel")).to_contain_text("Paint")
    page.keyboard.press("r")
    expect(page.locator("aside.panel pre")).to_contain_text('"S": "Paint"')
    page.keyboard.press("ArrowDown")
    page.keyboard.press("r")
    expect(page.locator("aside.panel pre")).to_contain_text('"S": "Sweep"')
    page.keyboard.press("Escape")
    expect(page.locator("aside.panel")).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("title = 'Old'")
    page.keyboard.press("Enter")
    expect(rows(page)).to_have_count(1)
    expect(page.locator(".totals")).to_have_text(re.compile("1 item, 4 examined"))


def test_filters_conditions_and_key_patterns(console_page: Start) -> None:
    page = console_page(open_club()).open("items/club")
    page.get_by_label("Filter by fields").fill("levle > 2")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".problem")).to_contain_text("did you mean level?")
    expect(rows(page).first).to_be_visible()
    page.get_by_label("Filter by fields").fill("")
    page.get_by_role("button", name="+ Condition").click()
    page.get_by_label("Attribute").fill("level")
    page.get_by_label("Operator").select_option("between")
    page.get_by_label("Value", exact=True).fill("2")
    page.get_by_label("Upper value").fill("5")
    page.get_by_role("button", name="Apply").click()
    expect(rows(page)).to_have_count(1)
    expect(rows(page)).to_contain_text("MEMBER#m1")
    page.reload()
    expect(rows(page)).to_have_count(1)
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_role("group", name="Open a partition").locator("select").select_option(
        label="STATUS#{status}  (GSI1)"
    )
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.locator(".filters .problem")).to_contain_text("status has no value")
    page.get_by_label("status", exact=True).fill("away")
    page.keyboard.press("Enter")
    expect(page.locator("nav.location")).to_contain_text("STATUS#away")
    expect(rows(page)).to_have_count(1)
    expect(page.get_by_role("tab", name="GSI1")).to_have_attribute("aria-selected", "true")


def test_a_large_table_scrolls_with_few_elements(console_page: Start) -> None:
    opened = open_club()
    call = opened.db.connection.call
    for start in range(0, 2000, 25):
        items = [
            {"PK": {"S": f"LOG#{number // 50}"}, "SK": {"S": f"{number:06}"}, "text": {"S": f"line {number}"}}
            for number in range(start, start + 25)
        ]
        call("BatchWriteItem", {"RequestItems": {"club": [{"PutRequest": {"Item": item}} for item in items]}})
    page = console_page(opened).open("items/club")
    expect(rows(page).first).to_be_visible()
    grid = page.locator(".grid")
    while (loaded := grid.get_attribute("aria-rowcount")) != "2009":
        grid.evaluate("element => { element.scrollTop = element.scrollHeight; }")
        expect(grid).not_to_have_attribute("aria-rowcount", str(loaded))
    expect(page.locator(".totals")).to_have_text(re.compile(r"^2,008 items, 2,008 examined"))
    wait_until(page, "document.querySelectorAll('.grid-row.item').length", is_met=lambda count: count < 60)
    wait_until(page, "document.querySelectorAll('*').length", is_met=lambda count: count < 600)
    page.get_by_label("List").select_option("partitions")
    expect(page.locator(".grid[aria-label=Partitions]")).to_contain_text("LOG#")


def test_hostile_items_are_text(console_page: Start) -> None:
    opened = open_club()
    deep: dict[str, Any] = {"S": "\u202eedisni"}
    for _ in range(28):
        deep = {"M": {"<b>next</b>": deep}}
    put(
        opened,
        {
            "PK": {"S": "<script>document.title='owned'</script>"},
            "SK": {"S": "\u202egpj.exe"},
            "<img src=x onerror=alert(1)>": {"S": "<img src=x onerror=\"document.title='owned'\">"},
            "long": {"S": "x" * 380_000},
            "deep": deep,
            "raw": {"B": b"\x00\xff<b>"},
            "huge": {"N": "9.9999999999999999999999999999999999999E+125"},
        },
    )
    page = console_page(opened).open("items/club")
    rows(page).filter(has_text="<script>").click()
    details = page.locator("aside.panel")
    expect(details).to_contain_text("no entity of the design")
    expect(details).to_contain_text("\\u202e")
    expect(details).to_contain_text("<img src=x onerror=")
    expect(details).to_contain_text("show all 380,000 characters")
    assert "\u202e" not in page.locator("main").inner_text()
    details.get_by_text("show all 380,000 characters").click()
    page.keyboard.press("r")
    expect(details.locator("pre").first).to_contain_text('"long"')
    assert "\u202e" not in page.locator("main").inner_text()
    expect(page.locator("main img, main script, main b b")).to_have_count(0)
    expect(page).to_have_title("Items · Club")


def test_secrets_are_hidden_and_copied_hidden(console_page: Start) -> None:
    page = console_page(open_club()).open("items/club/MEMBER%23m1")
    rows(page).filter(has_text="Ada").click()
    details = page.locator("aside.panel")
    expect(details.locator(".secret")).to_have_text("hidden")
    details.get_by_role("button", name="Copy JSON").click()
    wait_until(page, CLIPBOARD, is_met=lambda text: '"Ada"' in text)
    copied = json.loads(page.evaluate(CLIPBOARD))
    assert (copied["name"], copied["pin"]) == ("Ada", "hidden")
    details.get_by_role("button", name="Copy key").click()
    wait_until(page, CLIPBOARD, is_met=lambda text: '"Ada"' not in text)
    assert json.loads(page.evaluate(CLIPBOARD)) == {"PK": {"S": "MEMBER#m1"}, "SK": {"S": "PROFILE"}}


def test_an_index_that_lags_is_marked(console_page: Start) -> None:
    opened = open_club(lag=60.0)
    page = console_page(opened).open("items/club/MEMBER%23m1?seen=open")
    lagging = page.locator(".grid-row.item .tag", has_text="lagging")
    expect(lagging).to_have_count(2)
    advance(opened, 61)
    page.get_by_role("button", name="Reload").click()
    expect(lagging).to_have_count(0)
    expect(page.locator(".grid-row.item .tag", has_text="present")).to_have_count(2)


def test_the_rows_stay_while_the_server_is_away(console_page: Start) -> None:
    console = console_page(open_club())
    page = console.open("items/club/MEMBER%23m1")
    expect(rows(page)).to_have_count(4)
    console.server.stop()
    page.get_by_role("button", name="Reload").click()
    expect(page.locator(".banner")).to_contain_text("does not reply")
    expect(rows(page)).to_have_count(4)
    put(console.server.designs[0], {"PK": {"S": "MEMBER#m1"}, "SK": {"S": "NEW"}})
    console.server.start()
    expect(rows(page)).to_have_count(5)
    expect(page.locator(".banner")).to_have_count(0)


def test_partitions_of_the_table_then_of_an_index(console_page: Start) -> None:
    page = console_page(open_club()).open("items/club?groups=true")
    partitions = page.locator(".grid[aria-label=Partitions]")
    expect(partitions).to_contain_text("MEMBER#m1")
    page.get_by_role("tab", name="GSI1").click()
    expect(partitions).to_contain_text("STATUS#")
    expect(partitions).not_to_contain_text("MEMBER#")


def test_a_pinned_item_stays_while_others_are_open(console_page: Start) -> None:
    page = console_page(open_club()).open("items/club/MEMBER%23m1")
    rows(page).filter(has_text="PROFILE").click()
    details = page.get_by_role("complementary", name="Details")
    pinned = page.get_by_role("complementary", name="Pinned item")
    details.get_by_role("button", name="Pin").focus()
    page.keyboard.press("Enter")
    expect(pinned).to_contain_text("PROFILE")
    expect(details).to_have_count(0)
    rows(page).filter(has_text="TASK#").first.click()
    expect(details).to_contain_text("TASK#")
    page.keyboard.press("r")
    expect(details.locator("pre")).to_contain_text('"PK"')
    page.keyboard.press("Escape")
    expect(details).to_have_count(0)
    page.get_by_role("link", name="Overview").click()
    expect(pinned).to_contain_text("PROFILE")
    pinned.get_by_role("button", name="Unpin").click()
    expect(pinned).to_have_count(0)


def test_the_counts_show_their_request_and_select_a_role(console_page: Start) -> None:
    page = console_page(open_club()).open("items/club")
    page.locator(".totals").click()
    expect(page.get_by_label("Request")).to_contain_text('"TableName": "club"')
    page.get_by_role("group", name="Entities").get_by_role("button", name="Member lock").click()
    expect(page.locator(".grid-row.item", has_not_text="_lock#")).to_have_count(0)
    expect(page.locator(".grid-row.item", has_text="_lock#")).to_have_count(2)
    expect(page.get_by_label("Request")).not_to_be_visible()
    page.get_by_label("Entity").select_option("Member with copies and locks")
    expect(page.locator(".grid-row.item").nth(1)).to_be_visible()
    page.get_by_label("Entity").select_option("Member")
    expect(page.locator(".grid-row.item", has_text="_lock#")).to_have_count(0)
