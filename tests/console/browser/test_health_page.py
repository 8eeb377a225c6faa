"""Health in a browser: findings with source lines, drift, and repairs after their preview."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.console.browser.conftest import ConsolePage
from tests.console.shop import open_shop

Start = Callable[..., ConsolePage]

HOSTILE = "<img src=x onerror=document.title=`broken`>"


def _damage(console: ConsolePage, locks: int = 2) -> None:
    """Delete locks of user names, and write an item that is no entity."""
    opened = console.server.designs[0]
    connection, table = opened.db.connection, next(iter(opened.tables))
    items = connection.call("Scan", {"TableName": table})["Items"]
    for lock in [item for item in items if item["PK"]["S"].startswith("USERNAME#")][:locks]:
        connection.call(
            "DeleteItem", {"TableName": table, "Key": {name: lock[name] for name in ("PK", "SK")}}
        )
    stray = {"PK": {"S": HOSTILE}, "SK": {"S": "\u202eSTRAY"}, "type": {"S": HOSTILE}}
    connection.call("PutItem", {"TableName": table, "Item": stray})


def test_a_finding_shows_its_rule_and_the_lines_of_the_design(console_page: Start) -> None:
    page = console_page("boards", samples=0).open("health")
    rule = page.get_by_label("TW402 List without a limit")
    expect(rule.locator(".line.at")).to_contain_text("enabled_services")
    expect(rule).to_contain_text("boards/design.py:")
    expect(rule).to_contain_text('suppress: ClassVar = {"TW402:enabled_services": "the reason"}')
    rule.get_by_text("What this check means").click()
    expect(rule.locator(".manual pre")).to_be_visible()
    page.get_by_label("Show").select_option("suppressed")
    expect(page.get_by_label("Accepted findings").locator(".finding")).to_have_count(9)
    expect(page).to_have_url(re.compile(r"#/boards/health/findings\?show=suppressed$"))


def test_drift_is_shown_side_by_side(console_page: Start) -> None:
    console = console_page("boards", samples=0)
    opened = console.server.designs[0]
    change = [{"Delete": {"IndexName": "userName-index"}}]
    name = next(iter(opened.tables))
    opened.db.connection.call("UpdateTable", {"TableName": name, "GlobalSecondaryIndexUpdates": change})
    page = console.open("health")
    page.get_by_role("tab", name="Findings").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".page-body")).to_contain_text("1 of 7 tables differ")
    row = page.get_by_role("row").filter(has_text="userName-index")
    expect(row).to_contain_text("missing")
    page.get_by_text("step to deploy").click()
    expect(page.get_by_label("Request UpdateTable")).to_contain_text("userName-index")


def test_one_problem_is_repaired_by_keyboard_after_its_preview(console_page: Start) -> None:
    console = console_page("boards", samples=1)
    _damage(console, locks=1)
    page = console.open("health/integrity")
    expect(page.locator(".empty")).to_contain_text("The items were not checked yet")
    page.get_by_role("button", name="Check all items").focus()
    page.keyboard.press("Enter")
    grid = page.get_by_role("grid", name="Problems")
    expect(page.locator(".result")).to_contain_text("2 problems in")
    expect(grid).to_contain_text("missing lock")
    assert page.title() != "broken"
    grid.focus()
    if "missing lock" not in (page.locator(".grid-row.active").text_content() or ""):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("aside.panel").locator(".diff")).to_contain_text("USERNAME#")
    repair = page.get_by_role("button", name="Repair", exact=True)
    repair.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 repaired since.")).to_be_visible()
    grid.focus()
    page.keyboard.press("End")  # the active row is not there any more after the next check
    page.get_by_role("button", name="Check all items").click()
    expect(page.locator(".result")).to_contain_text("1 problem in")


def test_all_problems_are_repaired_after_their_preview(console_page: Start) -> None:
    console = console_page("boards", samples=2)
    _damage(console)
    page = console.open("health/integrity")
    page.get_by_role("button", name="Check all items").click()
    page.get_by_role("button", name="Preview all 2 repairs").click()
    expect(page.locator(".preview")).to_have_count(2)
    page.get_by_role("button", name="Repair all 2").click()
    expect(page.get_by_text("2 repaired since.")).to_be_visible()


def test_a_repair_that_deletes_wants_the_name_of_the_table_typed(console_page: Start) -> None:
    console = console_page(open_shop())
    opened = console.server.designs[0]
    connection = opened.db.connection
    copy = next(
        item
        for item in connection.call("Scan", {"TableName": "shop"})["Items"]
        if item["PK"] == {"S": "ORDERS"}
    )
    owner = {"M": {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "ORDER#absent"}}}
    orphan = copy | {"SK": {"S": "absent"}, "_of": owner}
    connection.call("PutItem", {"TableName": "shop", "Item": orphan})
    page = console.open("health/integrity")
    page.get_by_role("button", name="Check all items").click()
    page.get_by_role("grid", name="Problems").get_by_text("orphan copy").click()
    page.get_by_role("button", name="Repair…").click()
    dialog = page.get_by_role("dialog", name="Delete 1 item of shop?")
    delete = dialog.get_by_role("button", name="Delete 1 item")
    expect(delete).to_be_disabled()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Repair…").press("Enter")
    page.keyboard.type("shop")
    expect(delete).to_be_enabled()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 repaired since.")).to_be_visible()


def test_a_problem_without_a_repair_is_explained(console_page: Start) -> None:
    console = console_page("boards", samples=0)
    _damage(console)
    page = console.open("health/integrity")
    page.get_by_role("button", name="Check all items").click()
    page.get_by_role("grid", name="Problems").get_by_text("unknown item").click()
    panel = page.locator("aside.panel")
    expect(panel).to_contain_text("a person must decide")
    expect(panel).to_contain_text(HOSTILE)
    expect(page.locator("img[src=x]")).to_have_count(0)


def test_a_read_only_console_previews_only(console_page: Start) -> None:
    console = console_page("boards", samples=1, writable=False)
    _damage(console, locks=1)
    page = console.open("health/integrity")
    page.get_by_role("button", name="Check all items").click()
    page.get_by_role("grid", name="Problems").get_by_text("missing lock").click()
    expect(page.locator("aside.panel")).to_contain_text("Start it with --write")
    expect(page.get_by_role("button", name="Repair", exact=True)).to_have_count(0)


def test_a_preview_is_shown_when_the_server_is_back(console_page: Start) -> None:
    console = console_page("boards", samples=1)
    _damage(console, locks=1)
    page = console.open("health/integrity")
    page.get_by_role("button", name="Check all items").click()
    problem = page.get_by_role("grid", name="Problems").get_by_text("missing lock")
    expect(problem).to_be_visible()
    console.server.stop()
    problem.click()
    panel = page.locator("aside.panel")
    expect(panel.locator(".problem")).to_contain_text("The server does not reply")
    console.server.start()
    expect(panel.locator(".diff")).to_contain_text("USERNAME#")
    expect(panel.locator(".problem")).to_have_count(0)
    expect(page.locator(".banner")).to_have_count(0)
    page.get_by_role("button", name="Repair", exact=True).click()
    expect(page.get_by_text("1 repaired since.")).to_be_visible()
