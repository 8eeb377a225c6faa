"""The operations view in a browser."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tablewright import Faults
from tablewright.connections import Embedded
from tablewright.console.open_designs import OpenDesign
from tests.console.browser.conftest import ConsolePage, HeldRequests
from tests.console.operations.music_console import music
from tests.lifecycle.albums import album

Start = Callable[..., ConsolePage]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenDesign]:
    with music(albums=3, path=tmp_path / "music.db") as found:
        yield found


def test_a_backup_is_made_restored_and_deleted_with_its_name_typed(
    console_page: Start, opened: OpenDesign
) -> None:
    page = console_page(opened).open("operations")
    page.get_by_role("button", name="Back up").click()
    expect(page.get_by_text("AVAILABLE")).to_be_visible()
    page.get_by_role("button", name="Restore…").click()
    field = page.get_by_label("New table")
    field.fill("no such/name")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("must match pattern")
    field.fill("music-again")
    field.press("Enter")
    expect(page.locator(".task").filter(has_text="to music-again")).to_contain_text("done")
    page.get_by_role("button", name="Delete…").click()
    name = page.locator("dialog.confirm label code").inner_text()
    delete = page.get_by_role("button", name="Delete the backup")
    expect(delete).to_be_disabled()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="No backups yet")).to_be_visible()
    tables = opened.db.connection.call("ListTables", {})["TableNames"]
    assert {"music", "music-again"} <= set(tables)


def test_rejects_of_a_migration_are_shown_as_text(console_page: Start, opened: OpenDesign) -> None:
    opened.db.put(album(9, price="<img src=x onerror=alert(1)>"))
    page = console_page(opened).open("operations/migrations")
    page.get_by_role("button", name="Dry run").press("Enter")
    expect(page.locator(".task").first).to_contain_text("done")
    page.get_by_role("button", name="Migrate", exact=True).click()
    page.get_by_role("button", name="1 rejected").click()
    panel = page.get_by_role("complementary", name="Details")
    expect(panel).to_contain_text("price: '<img src=x onerror=alert(1)>' is no number")
    expect(page.locator("main img")).to_have_count(0)


def test_an_export_is_listed_and_a_wrong_bucket_is_an_error(console_page: Start, opened: OpenDesign) -> None:
    page = console_page(opened).open("operations/transfers")
    form = page.get_by_role("form", name="Export")
    form.get_by_label("Bucket").fill("../etc")
    form.get_by_role("button", name="Export").click()
    expect(form.get_by_role("alert")).to_contain_text("is not the name of a bucket")
    form.get_by_label("Bucket").fill("archive")
    form.get_by_label("Turn on point-in-time recovery").check()
    form.get_by_role("button", name="Export").click()
    expect(page.get_by_text("COMPLETED")).to_be_visible()
    page.get_by_role("button", name="Import…").click()
    page.get_by_role("form", name="Import").get_by_role("button", name="Import").click()
    expect(page.locator(".task").filter(has_text="music-imported")).to_contain_text("done")


def test_faults_and_the_clock_are_switched_by_keyboard(console_page: Start, opened: OpenDesign) -> None:
    engine = opened.db.connection
    assert isinstance(engine, Embedded)
    before = engine.clock.now()
    page = console_page(opened).open("operations/switches")
    page.get_by_role("button", name="A bad day").press("Enter")
    page.get_by_role("button", name="Apply").press("Enter")
    expect(page.get_by_text("Faults are set")).to_be_visible()
    switched = faults_of(opened)
    assert switched is not None
    assert switched.throttling == 0.05
    page.get_by_role("button", name="All off").press("Enter")
    expect(page.get_by_text("Faults are off")).to_be_visible()
    page.get_by_role("button", name="+ 1 day").press("Enter")
    expect(page.get_by_text("The clock was moved forward")).to_be_visible()
    assert faults_of(opened) is None
    assert engine.clock.now() == before + 86_400


def test_switches_that_are_pressed_before_a_reply_are_sent_after_it(
    console_page: Start, opened: OpenDesign
) -> None:
    page = console_page(opened).open("operations/switches")
    requests = HeldRequests(page, "**/engine/faults")
    page.get_by_role("button", name="A bad day").press("Enter")
    page.get_by_role("button", name="Apply").press("Enter")
    off = page.get_by_role("button", name="All off")
    off.press("Enter")
    page.get_by_label("index lag").fill("7")
    off.focus()
    requests.release()
    expect(page.get_by_text("Faults are set")).to_be_visible()
    requests.release()
    expect(page.get_by_text("Faults are off")).to_be_visible()
    assert faults_of(opened) is None
    expect(off).to_be_focused()
    expect(page.get_by_label("index lag")).to_have_value("7")


def test_a_question_stays_open_when_an_earlier_request_is_replied(
    console_page: Start, opened: OpenDesign
) -> None:
    opened.db.connection.call("CreateBackup", {"TableName": "music", "BackupName": "first"})
    page = console_page(opened).open("operations")
    requests = HeldRequests(page, "**/backups/create")
    page.get_by_role("button", name="Back up").click()
    page.get_by_role("button", name="Delete…").click()
    page.keyboard.type("fir")
    requests.release()
    expect(page.get_by_text("AVAILABLE")).to_have_count(2)
    page.keyboard.type("st")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Deleted first")).to_be_visible()


def test_a_question_about_a_migration_stays_open_when_a_dry_run_is_replied(
    console_page: Start, opened: OpenDesign
) -> None:
    opened.db.put(album(9, price="none"))
    page = console_page(opened).open("operations/migrations")
    page.get_by_role("button", name="Migrate", exact=True).click()
    expect(page.get_by_role("button", name="1 rejected")).to_be_visible()
    requests = HeldRequests(page, "**/migrations/dry-run")
    page.get_by_role("button", name="Dry run").click()
    page.get_by_role("button", name="Revert the last…").click()
    requests.release()
    expect(page.locator(".task").filter(has_text="ry run")).to_contain_text("done")
    expect(page.locator("dialog.confirm")).to_be_visible()


def faults_of(opened: OpenDesign) -> Faults | None:
    assert isinstance(opened.db.connection, Embedded)
    return opened.db.connection.faults


def test_a_read_only_console_offers_no_change(console_page: Start) -> None:
    page = console_page("goalsguild", samples=1, writable=False).open("operations")
    expect(page.get_by_role("note")).to_contain_text("--write")
    expect(page.get_by_role("button", name="Back up").first).to_be_disabled()
    page.get_by_role("tab", name="Expiry").click()
    expect(page.get_by_role("button", name="Delete expired items now")).to_be_disabled()


def test_backups_are_listed_and_made_when_the_server_is_back(console_page: Start, opened: OpenDesign) -> None:
    console = console_page(opened)
    page = console.open("operations")
    expect(page.get_by_role("heading", name="No backups yet")).to_be_visible()
    console.server.stop()
    page.get_by_role("button", name="Back up").click()
    expect(page.locator("main .problem")).to_contain_text("The server does not reply")
    expect(page.get_by_role("heading", name="No backups yet")).to_be_visible()
    request = {"TableName": "music", "BackupName": "of-another-program"}
    opened.db.connection.call("CreateBackup", request)
    console.server.start()
    expect(page.get_by_text("of-another-program")).to_be_visible()
    expect(page.locator(".banner")).to_have_count(0)
    page.get_by_role("button", name="Back up").click()
    expect(page.get_by_text("AVAILABLE")).to_have_count(2)
