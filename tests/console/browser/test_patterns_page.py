"""The page of the patterns: by mouse, by keyboard, with wrong input, with a hostile item, without a server."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tablewright import Design, Entity, Get, Keys, Query, Table, connect
from tablewright.console.open_designs import OpenDesign
from tests.console.browser.conftest import CLIPBOARD, ConsolePage, wait_until
from tests.console.browser.test_accessibility import violations

Start = Callable[..., ConsolePage]
HOSTILE = "<img src=x onerror=\"document.title='hacked'\"><script>document.title='hacked'</script>\u202eevil"

main = Table("main", key=("PK", "SK"))


class Note(Entity, table=main, type="NOTE"):
    note_id: str
    shelf: str
    text: str
    keys = Keys(primary=("SHELF#{shelf}", "NOTE#{note_id}"))


class NotesOnShelf(Query[Note]):
    "List the notes on a shelf."

    shelf: str


class NoteById(Get[Note]):
    shelf: str
    note_id: str


class NotesByNumber(Query[Note]):
    "Compare with a number."

    number: int
    key = "PK = SHELF#{number}"


@pytest.fixture
def notes() -> OpenDesign:
    design = Design("notes", entities=[Note], patterns=[NotesOnShelf, NoteById, NotesByNumber])
    db = connect(design)
    for number in range(30):
        text = HOSTILE if number == 0 else f"Note {number}"
        db.create(Note(note_id=f"n{number:02}", shelf="top", text=text))
    return OpenDesign(db, "Notes", "memory", "notes.design:design")


def test_a_pattern_is_filled_in_run_and_explained(console_page: Start, notes: OpenDesign) -> None:
    page = console_page(notes).open("patterns")
    page.click("nav.pattern-list >> text=NotesOnShelf")
    page.click("text=Fill in an example")
    expect(page.locator("input[name=shelf]")).to_have_value("top")
    page.select_option(".pattern-buttons select", "10")
    page.click("button:text-is('Run')")
    expect(page.locator(".totals")).to_contain_text("10 items, and more")
    page.click("text=Load 10 more")
    expect(page.locator(".totals")).to_contain_text("20 items, and more")
    expect(page.locator(".requests > li")).to_have_count(2)
    expect(page.locator(".requests > li").first).to_contain_text("examined 10")
    page.click("role=tab[name='Capacity and cost']")
    expect(page.locator(".figures")).to_contain_text("in 2 requests")
    expect(page.locator(".pattern-details")).to_contain_text("rate = fields.PerSecond")
    page.click("role=tab[name='IAM policy']")
    expect(page.locator(".pattern-details pre")).to_contain_text("dynamodb:Query")
    page.click("role=tab[name=boto3]")
    expect(page.locator(".pattern-details pre")).to_contain_text("client.query(")
    page.click(".pattern-details .copy")
    wait_until(page, CLIPBOARD, is_met=lambda text: "import boto3" in text)


def test_a_pattern_is_found_and_run_by_keyboard_alone(console_page: Start, notes: OpenDesign) -> None:
    page = console_page(notes).open("patterns")
    page.wait_for_selector(".pattern-list")
    page.keyboard.press("/")
    page.keyboard.type("onshelf")
    page.keyboard.press("Enter")
    page.wait_for_selector("form[aria-label=Parameters]")
    page.focus("input[name=shelf]")
    page.keyboard.type("top")
    page.keyboard.press("Enter")
    expect(page.locator(".totals")).to_contain_text("30 items")
    page.focus("[role=grid]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("aside.panel")).to_contain_text("Note 1")
    page.keyboard.press("Escape")
    expect(page.locator("aside.panel")).to_have_count(0)


def test_a_run_has_a_link(console_page: Start, notes: OpenDesign) -> None:
    console = console_page(notes)
    page = console.open("patterns/NotesOnShelf")
    page.fill("input[name=shelf]", "top")
    page.click("button:text-is('Run')")
    expect(page.locator(".totals")).to_contain_text("30 items")
    expect(page).to_have_url(re.compile(r"\?values="))
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(".totals")).to_contain_text("30 items")


def test_wrong_input_is_explained_beside_its_field(console_page: Start, notes: OpenDesign) -> None:
    page = console_page(notes).open("patterns/NotesByNumber")
    page.fill("input[name=number]", "many")
    page.click("button:text-is('Run')")
    expect(page.locator(".field.wrong .message")).to_contain_text("valid integer")
    page.fill("input[name=number]", "")
    page.click("button:text-is('Run')")
    expect(page.locator(".field.wrong .message")).to_have_text("is required")
    page.fill("input[name=number]", "7")
    page.click("button:text-is('Run')")
    expect(page.locator(".empty")).to_contain_text("No items")
    expect(page.locator(".message")).to_have_count(0)


def test_a_hostile_item_is_shown_as_text(console_page: Start, notes: OpenDesign) -> None:
    page = console_page(notes).open("patterns/NoteById")
    page.fill("input[name=shelf]", "top")
    page.fill("input[name=note_id]", "n00")
    page.click("button:text-is('Run')")
    page.click("[role=grid] [role=row][aria-rowindex='2']")
    expect(page.locator("aside.panel")).to_contain_text("<script>document.title='hacked'</script>")
    expect(page.locator("aside.panel .escape")).to_contain_text("\\u202e")
    assert "hacked" not in page.title()
    expect(page.locator("main img")).to_have_count(0)


def test_a_run_goes_on_when_the_server_is_back(console_page: Start, notes: OpenDesign) -> None:
    console = console_page(notes)
    page = console.open("patterns/NotesOnShelf")
    page.fill("input[name=shelf]", "top")
    console.server.stop()
    page.click("button:text-is('Run')")
    expect(page.locator(".problem")).to_contain_text("does not reply")
    console.server.start()
    expect(page.locator(".banner")).to_have_count(0)
    page.click("text=Try again")
    expect(page.locator(".totals")).to_contain_text("30 items")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_results_and_details_are_accessible(console_page: Start, notes: OpenDesign, dark: bool) -> None:
    page = console_page(notes, dark=dark).open("patterns/NotesOnShelf")
    page.fill("input[name=shelf]", "top")
    page.click("button:text-is('Run')")
    page.click("[role=grid] [role=row][aria-rowindex='3']")
    expect(page.locator("aside.panel")).to_be_visible()
    assert violations(page) == []
    page.click("role=tab[name='Capacity and cost']")
    assert violations(page) == []


def test_a_filter_is_a_step_of_the_explained_request(console_page: Start) -> None:
    page = console_page("collabhub", samples=3).open("patterns/TalentsWithSkill")
    page.get_by_label("skill", exact=True).fill("no such skill")
    page.get_by_role("button", name="Run", exact=True).click()
    request = page.locator(".requests > li")
    expect(request.locator(".tree .tree > li")).to_have_count(2)
    expect(request).to_contain_text("index GSI1 of collabhub-main: examined 3")
    expect(request).to_contain_text("the filter leaves out 3, which are paid for")
    expect(request).to_contain_text("returned 0")
