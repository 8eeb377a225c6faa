"""The page of the queries: by mouse, by keyboard, with wrong input, bulk changes, exports, a hostile item."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import pytest
from playwright.sync_api import expect

from tablewright import Design, Entity, Index, Keys, Table, connect, fields
from tablewright.console.open_designs import OpenDesign
from tests.console.browser.conftest import ConsolePage
from tests.console.browser.test_accessibility import violations

Start = Callable[..., ConsolePage]
HOSTILE = "<img src=x onerror=\"document.title='hacked'\">\u202eevil"

main = Table("notes-main", key=("PK", "SK"), indexes=[Index("ByDay", "day", "PK")])


class Note(Entity, table=main, type="NOTE"):
    note_id: str
    text: str
    priority: int = 1
    token: Annotated[str, fields.Encrypted()] = "the-token"
    keys = Keys(primary=("SHELF", "NOTE#{note_id}"))


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenDesign:
    monkeypatch.chdir(tmp_path)  # saved queries are files there
    db = connect(Design("notes", entities=[Note], patterns=[]))
    for number in range(30):
        db.create(Note(note_id=f"n{number:02}", text=HOSTILE if number == 0 else f"=Note {number}"))
    return OpenDesign(db, "Notes", "memory", "notes.design:design", writable=True)


def test_a_statement_is_run_saved_and_loaded_again(
    console_page: Start, notes: OpenDesign, tmp_path: Path
) -> None:
    page = console_page(notes).open("query")
    page.click("button:text-is('Run')")
    expect(page.locator(".totals")).to_contain_text("30 items")
    page.click("[role=grid] [role=row][aria-rowindex='2']")
    panel = page.locator("aside.panel")
    expect(panel).to_contain_text("onerror")
    expect(panel.locator(".escape")).to_contain_text("\\u202e")
    expect(panel.locator(".secret")).to_have_text("hidden")
    assert "hacked" not in page.title()
    page.click("text=Save this query")
    page.fill(".save-form input", "All notes")
    page.click(".save-form button:text-is('Save')")
    expect(page.locator(".query-lists")).to_contain_text("All notes")
    assert (tmp_path / ".tablewright" / "queries" / "All notes.json").exists()
    page.fill("textarea", 'SELECT text FROM "notes-main"')
    page.click(".query-lists button:text-is('All notes')")
    expect(page.locator("textarea")).to_have_value('SELECT * FROM "notes-main"')
    page.click("role=tab[name=JSON]")
    expect(page.locator(".query-json pre")).to_contain_text('"HIDDEN": true')


def test_a_query_is_written_completed_and_run_by_keyboard_alone(
    console_page: Start, notes: OpenDesign
) -> None:
    page = console_page(notes).open("query")
    page.focus("textarea")
    page.keyboard.press("Control+a")
    page.keyboard.type("SELECT * FROM notes-m")
    expect(page.locator("[role=option]").first).to_contain_text('"notes-main"')
    page.keyboard.press("Tab")
    page.keyboard.type(" WHERE SK = 'NOTE#n07'")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".totals")).to_contain_text("1 item")
    page.focus("[role=tab][aria-selected=true]")
    page.keyboard.press("ArrowRight")
    expect(page.locator("textarea")).to_have_value(re.compile("KeyConditionExpression"))
    page.reload()
    expect(page.locator("textarea")).to_have_value(re.compile("NOTE#n07"))  # the address contains the query
    expect(page.locator(".query-lists section").nth(1)).to_contain_text("NOTE#n07")


def test_wrong_queries_are_explained(console_page: Start, notes: OpenDesign) -> None:
    page = console_page(notes).open("query")
    page.fill("textarea", "SELECT * FROM other")
    page.click("button:text-is('Run')")
    expect(page.locator(".problem")).to_contain_text("has no table other")
    page.fill("textarea", 'SELECT * FROM "notes-main" WHERE')
    page.click("button:text-is('Run')")
    expect(page.locator(".problem")).to_contain_text("ValidationException")
    page.click("role=tab[name=Request]")
    page.fill("textarea", "{")
    page.click("button:text-is('Run')")
    expect(page.locator(".message")).to_contain_text("is not JSON")


def test_a_request_is_exported_page_by_page(console_page: Start, notes: OpenDesign) -> None:
    page = console_page(notes).open("query")
    page.click("role=tab[name=Request]")
    page.select_option(".query-bar select", "Scan")
    page.fill("textarea", '{"TableName": "notes-main", "Limit": 12}')
    page.click("button:text-is('Run')")
    expect(page.locator(".totals")).to_contain_text("12 items, and more")
    page.click("text=Load more")
    expect(page.locator(".totals")).to_contain_text("24 items, and more")
    with page.expect_download() as download:
        page.click("text=Save up to 100,000 items")
    text = Path(download.value.path()).read_text()
    assert len(text.splitlines()) == 31
    assert "'=Note 1" in text
    assert "the-token" not in text
    expect(page.locator(".query-export")).to_contain_text("Secret fields are left out: token")


def test_an_operation_chosen_at_once_is_kept(console_page: Start, notes: OpenDesign) -> None:
    page = console_page(notes, late_frames=True).open("query")
    page.click("role=tab[name=Request]")
    page.select_option(".query-bar select", "Scan")
    page.fill("textarea", '{"TableName": "notes-main", "Limit": 12}')
    page.click("button:text-is('Run')")
    expect(page.locator(".totals")).to_contain_text("12 items, and more")


def test_items_are_counted_edited_and_deleted(console_page: Start, notes: OpenDesign) -> None:
    page = console_page(notes).open("query")
    page.click("button:text-is('Run')")
    page.click("text=Edit all…")
    panel = page.locator("aside.panel")
    expect(panel).to_contain_text("30 items counted")
    panel.locator("select").nth(1).select_option("priority")
    panel.locator("label:has-text('New value') input").fill("many")
    panel.locator("button.danger").click()
    expect(panel.locator(".problem")).to_contain_text("Note.priority")
    panel.locator("label:has-text('New value') input").fill("7")
    panel.locator("button.danger").click()
    expect(page.locator("dialog button.danger")).to_be_disabled()
    page.fill("dialog input", "notes-main")
    page.click("dialog button.danger")
    expect(panel).to_contain_text("30 edited")
    page.keyboard.press("Escape")
    page.click("text=Delete all…")
    expect(panel).to_contain_text("30 items counted")
    panel.locator("button.danger").click()
    page.fill("dialog input", "notes-main")
    page.keyboard.press("Enter")
    expect(panel).to_contain_text("30 deleted")
    expect(page.locator(".totals")).to_contain_text("0 items")


def test_a_console_that_only_reads_offers_no_changes(console_page: Start, notes: OpenDesign) -> None:
    console = console_page(samples=1, writable=False)
    page = console.open("query")
    page.click("button:text-is('Run')")
    expect(page.locator("[role=grid]")).to_be_visible()
    expect(page.locator("text=Delete all…")).to_have_count(0)
    page.fill("textarea", "DELETE FROM UserProfiles WHERE PK = 'x' AND SK = 'y'")
    page.click("button:text-is('Run')")
    expect(page.locator(".problem")).to_contain_text("--write")
    console.server.stop()
    page.fill("textarea", "SELECT * FROM UserProfiles")
    page.click("button:text-is('Run')")
    expect(page.locator(".problem")).to_contain_text("does not reply")
    console.server.start()
    expect(page.locator(".banner")).to_have_count(0)
    page.click("text=Try again")
    expect(page.locator("[role=grid]")).to_be_visible()
    notes.db.close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_results_completions_and_dialogs_are_accessible(
    console_page: Start, notes: OpenDesign, dark: bool
) -> None:
    page = console_page(notes, dark=dark).open("query")
    page.click("button:text-is('Run')")
    page.click("text=Edit all…")
    expect(page.locator("aside.panel")).to_contain_text("30 items counted")
    page.focus("textarea")
    page.keyboard.type(" WHE")
    expect(page.locator("[role=option]")).to_have_count(1)
    assert violations(page) == []
    page.click("text=Delete all…")
    expect(page.locator("aside.panel")).to_contain_text("30 items counted")
    page.click("aside.panel button.danger")
    expect(page.locator("dialog.confirm")).to_be_visible()
    assert violations(page) == []
