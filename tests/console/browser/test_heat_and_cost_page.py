"""The heat and cost view in a browser."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.console.browser.conftest import ConsolePage

Start = Callable[..., ConsolePage]


def test_a_cost_shows_its_calculation_by_mouse_and_keyboard(console_page: Start) -> None:
    page = console_page("collabhub", samples=0).open("heat_and_cost")
    page.get_by_role("button", name=re.compile("Cost of write Message:")).click()
    panel = page.get_by_role("complementary", name="Details")
    expect(panel).to_contain_text("at $0.625 a million")
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    page.get_by_role("button", name=re.compile("Cost of a month:")).focus()
    page.keyboard.press("Enter")
    expect(panel).to_contain_text("collabhub-main")


def test_a_changed_rate_is_priced_and_compared(console_page: Start) -> None:
    page = console_page("collabhub", samples=0).open("heat_and_cost")
    rate = page.get_by_label("write Message, times a month")
    rate.fill("a lot")
    rate.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Give a number of 0 or more")
    rate.fill("1,000")
    rate.press("Enter")
    expect(page.get_by_text("1 rate changed here, not in the design")).to_be_visible()
    page.get_by_role("link", name="Compare").click()
    expect(page.locator(".total")).to_contain_text("$492.75 a month")
    page.get_by_role("group", name="Before").get_by_role("textbox").fill("json:tool")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("alert")).to_contain_text("json:tool is not a design of the package")


def test_a_hot_key_is_found_in_the_simulation(console_page: Start) -> None:
    page = console_page("collabhub", samples=0).open("heat_and_cost/heat")
    page.get_by_role("button", name=re.compile(r"GSI3, 10 . the users: throttles")).click()
    panel = page.get_by_role("complementary", name="Details")
    expect(panel).to_contain_text("APPLICATION#{created_at:%Y-%m}")
    expect(panel).to_contain_text("of 1,000 write units a second")


def test_without_rates_the_view_says_what_to_declare(console_page: Start) -> None:
    page = console_page("boards", samples=0).open("heat_and_cost?workload=declared")
    expect(page.get_by_label("A pattern with a rate")).to_contain_text("rate = fields.PerSecond(20)")
    page.get_by_role("button", name="Estimate with assumed rates").click()
    expect(page.get_by_role("note")).to_contain_text("declares no rates. Assumed")


def test_measured_requests_appear_beside_the_declared_ones(console_page: Start) -> None:
    console = console_page("boards", samples=0)
    page = console.open("heat_and_cost/measured")
    page.get_by_role("button", name="Start measuring").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Stop measuring")).to_be_visible()
    hostile = {"PK": {"S": "BOARD#<img src=x onerror=alert(1)>"}, "SK": {"S": "META"}}
    console.server.designs[0].db.connection.call("GetItem", {"TableName": "Boards", "Key": hostile})
    page.get_by_role("button", name="Stop measuring").click()
    expect(page.get_by_role("link", name="BoardById")).to_be_visible()
    expect(page.locator("code.key b").first).to_have_text("<img src=x onerror=alert(1)>")
    expect(page.locator("main img")).to_have_count(0)


def test_the_simulation_runs_again_when_the_server_is_back(console_page: Start) -> None:
    console = console_page("student_hub", samples=0)
    page = console.open("heat_and_cost")
    expect(page.get_by_role("button", name=re.compile("Cost of a month:"))).to_be_visible()
    console.server.stop()
    page.get_by_role("tab", name="Heat", exact=True).click()
    expect(page.locator("main .problem")).to_contain_text("The server does not reply")
    expect(page.locator(".banner")).to_contain_text("does not reply")
    console.server.start()
    expect(page.get_by_role("button", name=re.compile("1 . the users:")).first).to_be_visible()
    expect(page.locator(".banner")).to_have_count(0)
    expect(page.locator("main .problem")).to_have_count(0)
