"""The page of streams: records arrive while one looks, pause and outages lose none, and items are shown as text."""

import re
from collections.abc import Callable
from dataclasses import replace

from playwright.sync_api import Page, expect

from tablewright.console.open_designs import OpenDesign
from tests.access.streams.goals import Recorder, Step, goal, main, switch_stream
from tests.console.browser.conftest import ConsolePage
from tests.console.browser.test_accessibility import violations
from tests.console.goals_console import open_goals

Start = Callable[..., ConsolePage]


def step(number: int, *, done: bool = False) -> Step:
    return Step(goal_id="g1", step_id=str(number), done=done)


def follow(console: ConsolePage, view: str = "streams") -> Page:
    page = console.open(view)
    expect(page.locator(".stream-status [role=status]")).to_have_text("Live")
    return page


def expect_rows(page: Page, *keys: str) -> None:
    """Wait until the rows have these keys."""
    expect(page.locator(".grid-body [role=row] .change-key")).to_have_text(keys)


def test_a_record_appears_and_is_opened(console_page: Start) -> None:
    opened = open_goals()
    console = console_page(opened)
    page = follow(console)
    expect(page.locator(".empty")).to_contain_text("No records yet")
    made = opened.db.create(step(1))
    opened.db.update(made, set={"done": True})
    expect(page.locator(".grid-body [role=row]")).to_have_count(2)
    page.click(".grid-body [role=row] >> nth=1")
    panel = page.locator("aside.panel")
    expect(panel.locator(".diff tbody tr")).to_have_count(1)
    expect(panel.locator(".diff tbody tr")).to_contain_text("done")
    expect(panel.locator("text=Open the item")).to_have_attribute(
        "href",
        f"#/goals/items/{main.name}/GOAL%23g1?item=%7B%22PK%22%3A%7B%22S%22%3A%22GOAL%23g1%22%7D%2C%22SK%22%3A%7B%22S%22%3A%22STEP%231%22%7D%7D",
    )
    assert violations(page) == []


def test_pause_filter_and_open_by_keyboard(console_page: Start) -> None:
    opened = open_goals()
    page = follow(console_page(opened))
    opened.db.create(step(1))
    expect(page.locator(".grid-body [role=row]")).to_have_count(1)
    page.locator("[role=grid]").focus()
    page.keyboard.press("Space")
    expect(page.locator(".stream-status [role=status]")).to_have_text("Paused")
    opened.db.create(step(2))
    expect(page.locator("text=Resume (1 waiting)")).to_be_visible()
    expect(page.locator(".grid-body [role=row]")).to_have_count(1)
    page.keyboard.press("Space")
    expect(page.locator(".grid-body [role=row]")).to_have_count(2)
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.locator("aside.panel")).to_contain_text("STEP#2")
    page.keyboard.press("Escape")
    expect(page.locator("aside.panel")).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("STEP#1")
    page.keyboard.press("Enter")
    expect(page.locator(".grid-body [role=row]")).to_have_count(1)
    expect_rows(page, "GOAL#g1 STEP#1")
    expect(page).to_have_url(re.compile("key=STEP%231"))


def test_a_link_has_the_start_and_the_filter(console_page: Start) -> None:
    opened = open_goals()
    opened.db.create(goal())
    opened.db.update(opened.db.create(step(1)), set={"done": True})
    page = follow(console_page(opened), f"streams/{main.name}?start=oldest&events=modified&entity=Step")
    expect(page.locator(".grid-body [role=row]")).to_have_count(1)
    expect(page.locator(".stream-status")).to_contain_text("1 shown of 5 read")
    page.click("text=Remove filter")
    expect(page.locator(".grid-body [role=row]")).to_have_count(5)
    page.uncheck("text=copies and locks")
    expect(page.locator(".grid-body [role=row]")).to_have_count(3)


def test_an_outage_loses_no_record_and_repeats_none(console_page: Start) -> None:
    opened = open_goals()
    console = console_page(opened)
    page = follow(console)
    opened.db.create(step(1))
    expect(page.locator(".grid-body [role=row]")).to_have_count(1)
    console.server.stop()
    opened.db.create(step(2))
    expect(page.locator(".banner")).to_be_visible()
    console.server.start()
    opened.db.create(step(3))
    expect(page.locator(".grid-body [role=row]")).to_have_count(3)
    expect(page.locator(".banner")).to_have_count(0)
    expect_rows(page, "GOAL#g1 STEP#1", "GOAL#g1 STEP#2", "GOAL#g1 STEP#3")


def test_a_hostile_item_is_text_and_a_secret_is_hidden(console_page: Start) -> None:
    opened = open_goals()
    page = follow(console_page(opened))
    hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202egnp.exe"
    opened.db.create(goal(title=hostile, note="secret words"))
    expect(page.locator(".grid-body [role=row]")).to_have_count(3)
    page.click(".grid-body [role=row]:has-text('GOAL#g1'):has-text('GOAL') >> nth=0")
    panel = page.locator("aside.panel")
    expect(panel).to_contain_text("<script>alert(2)</script>")
    expect(panel).to_contain_text("\\u202e")
    expect(panel.locator(".secret")).to_have_text("hidden")
    assert "secret words" not in page.content()
    expect(page.locator("main img")).to_have_count(0)


def test_consumers_and_shards(console_page: Start) -> None:
    opened = open_goals()
    opened.db.create(step(1))
    opened.db.streams.handle(Recorder(Step).listener, consumer="mailer")
    opened.db.create(step(2))
    page = console_page(opened).open(f"streams/{main.name}?tab=consumers")
    row = page.locator("[aria-label=Consumers] tbody tr")
    expect(row).to_contain_text("mailer")
    expect(row.locator("td >> nth=0")).to_have_text("1")
    page.click("text=Shards")
    expect(page.locator("[aria-label=Shards] tbody tr")).to_contain_text("open")
    assert violations(page) == []


def no_stream() -> OpenDesign:
    opened = open_goals()
    switch_stream(opened.db, on=False)
    return opened


def test_a_table_without_stream_says_how_to_get_one(console_page: Start) -> None:
    page = console_page(replace(no_stream(), location="goals.db")).open(f"streams/{main.name}")
    expect(page.locator(".empty")).to_contain_text("tablewright deploy tests.access.streams.goals:design")
    page.select_option("select >> nth=0", "goals-keys")
    expect(page.locator(".empty")).to_contain_text('stream="NEW_AND_OLD_IMAGES"')


def test_a_wrong_link_says_what_is_wrong(console_page: Start) -> None:
    console = console_page(open_goals())
    page = console.open(f"streams/{main.name}?entity=Gaol")
    expect(page.locator(".problem")).to_contain_text("goals has no entity Gaol; it has: Goal, Step, Thing")
    page = console.open("streams/absent")
    expect(page.locator(".empty")).to_contain_text("There is no table absent")
