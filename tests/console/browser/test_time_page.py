"""The page of time: versions, a slider, two points in time, restores; by mouse, by keyboard, and with wrong input."""

from collections.abc import Callable
from dataclasses import replace

from playwright.sync_api import expect

from tablewright.console.open_designs import OpenDesign
from tests.access.streams.goals import START, GoalById, goal, main, switch_stream
from tests.console.browser.conftest import ConsolePage
from tests.console.browser.test_accessibility import violations
from tests.console.goals_console import open_goals

Start = Callable[..., ConsolePage]
ITEM = f"time/{main.name}/GOAL%23g1/GOAL"


def past(**options: bool) -> OpenDesign:
    """A goal that was created after a minute, and changed after two and three minutes."""
    opened = open_goals(recovery=True, **options)
    clock = opened.db.connection.clock  # type: ignore[attr-defined]
    clock.advance(60)
    made = opened.db.create(goal(title="Sail", note="secret words"))
    for title in ("Fly", "Swim"):
        clock.advance(60)
        made = opened.db.update(made, set={"title": title})
    clock.advance(60)
    return opened


def title(opened: OpenDesign) -> str | None:
    found = opened.db.run(GoalById(goal_id="g1"))
    return found.title if found else None


def test_an_earlier_version_is_found_and_restored(console_page: Start) -> None:
    opened = past()
    page = console_page(opened).open("time")
    page.click(".grid-body [role=row]:has-text('GOAL#g1'):has-text('Swim'):not(:has-text('copy')) >> nth=0")
    expect(page.locator("[role=tab] >> nth=0")).to_have_text("Versions (3)")
    page.click(".grid-body [role=row] >> nth=1")
    panel = page.locator("aside.panel")
    expect(panel.locator(".diff tbody tr >> nth=0")).to_contain_text("Sail")
    panel.locator("text=To before this change…").click()
    expect(panel.locator(".plan")).to_contain_text("in one transaction")
    assert violations(page) == []
    assert title(opened) == "Swim"
    panel.locator(".plan button.primary").click()
    expect(page.locator(".toast")).to_contain_text("The item was restored")
    expect(page.locator("[role=tab] >> nth=0")).to_have_text("Versions (4)")
    assert title(opened) == "Sail"


def test_an_earlier_version_is_restored_by_keyboard_alone(console_page: Start) -> None:
    opened = past()
    page = console_page(opened).open("time")
    page.wait_for_selector(".grid-body [role=row]")
    page.keyboard.press("/")
    page.keyboard.type("GOAL#g1")
    page.keyboard.press("Tab")
    page.keyboard.type("GOAL")
    page.keyboard.press("Enter")
    expect(page.locator("[role=tab] >> nth=0")).to_have_text("Versions (3)")
    slider = page.locator("input[type=range]")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.locator(".then-tools")).to_contain_text("0 items then, 1 changed since")
    for _ in range(2):
        page.get_by_role("button", name="later").press("Enter")
    expect(page.locator(".then-rows")).to_contain_text("Fly")
    page.locator("[role=grid]").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="To what it was then").press("Enter")
    page.locator(".plan button.primary").press("Enter")
    expect(page.locator(".toast")).to_contain_text("The item was restored")
    assert title(opened) == "Fly"


def test_two_points_in_time_are_compared(console_page: Start) -> None:
    page = console_page(past()).open(f"time/{main.name}/GOAL%23g1?at={START + 60}&to={START + 120}&tab=then")
    row = page.locator(".then-rows .grid-body [role=row]")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("changed since")
    expect(row).to_contain_text("Sail")
    expect(row).to_contain_text("Fly")
    page.uncheck("text=compare with another time than now")
    expect(row).to_contain_text("Swim")
    assert violations(page) == []


def test_wrong_input_says_what_is_wrong(console_page: Start) -> None:
    console = console_page(past())
    page = console.open(ITEM)
    field = page.get_by_role("textbox", name="Show items as of")
    for text, message in (
        ("yesterday", "Write the time as 2026-02-18 14:25:00, in UTC, or now."),
        ("1999-01-01 00:00:00", "The time must be from 2025-06-15 15:06:40"),
    ):
        field.fill(text)
        field.press("Enter")
        expect(page.locator(".slider .message")).to_contain_text(message)
    page = console.open(f"time/{main.name}/nothing")
    expect(page.locator(".empty")).to_contain_text("No changes in this period")
    page = console.open("time/absent")
    expect(page.locator(".empty")).to_contain_text("There is no table absent")


def test_a_hostile_item_is_text_and_a_secret_is_hidden(console_page: Start) -> None:
    opened = past()
    hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202egnp.exe"
    found = opened.db.run(GoalById(goal_id="g1"))
    assert found is not None
    opened.db.update(found, set={"title": hostile, "note": "other words"})
    page = console_page(opened).open(ITEM)
    page.click(".grid-body [role=row] >> nth=0")
    panel = page.locator("aside.panel")
    expect(panel).to_contain_text("<script>alert(2)</script>")
    expect(panel).to_contain_text("\\u202e")
    expect(panel.locator(".diff tr.changed:has-text('note') .secret")).to_have_count(2)
    assert "words" not in page.content()
    expect(page.locator("main img")).to_have_count(0)


def test_the_page_goes_on_when_the_server_is_back(console_page: Start) -> None:
    opened = past()
    console = console_page(opened)
    page = console.open(ITEM)
    expect(page.locator(".grid-body [role=row]")).to_have_count(3)
    console.server.stop()
    page.click(".grid-body [role=row] >> nth=0")
    page.click("text=To before this change…")
    expect(page.locator("aside .problem")).to_contain_text("The server does not reply")
    found = opened.db.run(GoalById(goal_id="g1"))
    assert found is not None
    opened.db.update(found, set={"title": "Dive"})
    console.server.start()
    expect(page.locator(".grid-body [role=row]")).to_have_count(4)
    expect(page.locator(".banner")).to_have_count(0)


def test_without_versions_the_page_says_how_to_get_them(console_page: Start) -> None:
    opened = open_goals()
    switch_stream(opened.db, on=False)
    page = console_page(replace(opened, location="goals.db")).open(f"time/{main.name}")
    expect(page.locator(".empty")).to_contain_text('Table("goals-main", ..., point_in_time_recovery=True)')
    expect(page.locator(".empty")).to_contain_text("tablewright deploy tests.access.streams.goals:design")
    assert violations(page) == []


def test_a_table_is_restored_when_its_name_is_typed(console_page: Start) -> None:
    opened = past()
    page = console_page(opened).open(ITEM)
    page.click("text=Restore table…")
    dialog = page.locator("dialog.confirm")
    expect(dialog.locator("button.danger")).to_be_disabled()
    dialog.get_by_label("Point in time").fill("2025-06-15 15:08:00")
    dialog.get_by_label("to confirm").fill(main.name)
    dialog.locator("button.danger").click()
    expect(page.locator(".toast >> nth=0")).to_contain_text(f"The restore to {main.name}-restored has begun")
    expect(page.locator(".toast >> nth=1")).to_contain_text(f"{main.name}-restored is active: 3 items")


def test_a_read_only_console_shows_the_plan_only(console_page: Start) -> None:
    page = console_page(past(writable=False)).open(ITEM)
    page.click(".grid-body [role=row] >> nth=0")
    page.click("text=To before this change…")
    expect(page.locator(".plan button.primary")).to_be_disabled()
    expect(page.locator(".plan")).to_contain_text("Start it with --write to change data.")


def test_the_details_of_an_item_follow_the_slider(console_page: Start) -> None:
    page = console_page(past()).open(f"{ITEM}?at={START + 60}&tab=then")
    details = page.get_by_role("complementary", name="Details")
    expect(details).to_contain_text("Sail")
    page.get_by_role("button", name="To what it was then").click()
    expect(details.get_by_role("group", name="Plan")).to_be_visible()
    page.get_by_role("button", name="later").click()
    expect(details).to_contain_text("Fly")
    expect(details).not_to_contain_text("Sail")
    expect(details.get_by_role("group", name="Plan")).to_have_count(0)
