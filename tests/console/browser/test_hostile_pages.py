"""Every view on tables with items that other programs wrote: they are text, and no script fails."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tablewright import connect, keyrings
from tablewright.console.open_designs import OpenDesign
from tests.console.browser.conftest import ConsolePage, wait_until_quiet
from tests.console.hostile_design import design, fill

SCRIPT = "<img src=x onerror=\"document.title='owned'\">"
PAGES = (
    "overview",
    "items/hostile",
    "items/hostile?groups=true",
    "items/hostile?index=GSI1",
    "items/blobs",
    "items/hostile/MEMBERS?seen=GSI1",
    "patterns/NotesOfMember?values=%7B%22member_id%22%3A%22h7%22%7D",
    "edit",
    "streams/hostile?start=oldest",
    "streams/hostile?tab=shards",
    "time/hostile",
    "time/hostile/MEMBERS",
    "heat_and_cost",
    "heat_and_cost/measured",
    "health/findings",
    "health/integrity",
    "operations",
    "operations/expiry",
    "query",
)


def open_hostile() -> OpenDesign:
    """Open the hostile design in memory, with one more item whose names and values are markup."""
    db: Any = connect(design, secrets=keyrings.MemoryKeys())
    fill(db, "")
    item = {"PK": {"S": SCRIPT}, "SK": {"S": SCRIPT}, SCRIPT: {"M": {SCRIPT: {"S": SCRIPT}}}}
    item |= {"sets": {"BS": [b"<b>", b"\xff"]}, "type": {"S": SCRIPT}}
    db.connection.call("PutItem", {"TableName": "hostile", "Item": item})
    return OpenDesign(db, SCRIPT, SCRIPT, "tests.console.hostile_design:design", True)


def test_no_view_runs_what_an_item_or_a_design_contains(console_page: Callable[..., ConsolePage]) -> None:
    console = console_page(open_hostile())
    page = console.page
    for view in PAGES:
        console.open(view)
        wait_until_quiet(page)
        if view == "query":
            page.get_by_role("button", name="Run", exact=True).click()
            expect(page.locator(".grid-row.result").first).to_be_visible()
        if view == "health/integrity":
            page.get_by_role("button", name="Check all items").click()
            expect(page.locator(".page-body")).to_contain_text("problem")
        assert page.locator("img:not([src='page/icon.svg']), main script, iframe").count() == 0, view
        assert "owned" not in page.title().replace(SCRIPT, ""), view
        assert "\u202e" not in page.locator("main").inner_text(), view
    page.locator(".grid-row.result", has_text="onerror").click()
    details = page.get_by_role("complementary", name="Details")
    details.get_by_role("tab", name="DynamoDB JSON").click()
    expect(details.locator("pre")).to_contain_text("onerror")
    details.get_by_role("button", name="Pin").click()
    expect(page.get_by_role("complementary", name="Pinned item")).to_contain_text("onerror")
