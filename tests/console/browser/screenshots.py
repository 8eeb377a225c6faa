"""Takes the screenshots of docs/how-to/console.md: python -m tests.console.browser.screenshots"""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.console.browser.conftest import FLAGS, ServedConsole, chromium, wait_until_quiet
from tests.console.sample_console import open_system

FOLDER = Path(__file__).parents[3] / "docs" / "how-to" / "console"
PAUSE = 1500
"""Milliseconds until a view has loaded its data."""
TIMEOUT = 15_000


def _select_item(page: Page) -> None:
    page.locator(".grid-row.item").nth(2).click()


def _run_pattern(page: Page) -> None:
    page.get_by_role("button", name="Fill in an example").click()
    page.wait_for_timeout(PAUSE)
    _run(page)


def _run(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator(".grid-row.result").first.wait_for()


def _edit(page: Page) -> None:
    page.locator(".grid-row.item").first.click()
    page.get_by_role("group", name="Actions").get_by_role("link", name="Edit", exact=True).click()
    page.locator("select[name=role]").select_option("INVESTOR")
    page.locator(".effect").first.wait_for()


def _select_change(page: Page) -> None:
    page.locator(".grid-row.change .tag:text-is('modified')").last.click()


def _select_version(page: Page) -> None:
    page.locator(".grid-row.change .tag:text-is('modified')").first.click()
    page.locator(".grid-row.change").nth(1).click()


def _back_up(page: Page) -> None:
    for number in range(2):
        page.get_by_role("button", name="Back up").nth(number).click()
    page.get_by_text("Backups (2)").wait_for()


def _nothing(page: Page) -> None:
    return


SHOTS: dict[str, tuple[str, str, Callable[[Page], None]]] = {
    "overview": ("collabhub", "overview", _nothing),
    "items": ("collabhub", "items/collabhub-main/USER%23founder-001", _select_item),
    "patterns": ("collabhub", "patterns/TalentsWithSkill", _run_pattern),
    "edit": ("collabhub", "items?entity=User&role=entity", _edit),
    "streams": ("goalsguild", "streams?start=oldest", _select_change),
    "time": ("goalsguild", "time", _select_version),
    "heat_and_cost": ("collabhub", "heat_and_cost", _nothing),
    "health": ("collabhub", "health", _nothing),
    "operations": ("boards", "operations", _back_up),
    "query": ("collabhub", "query", _run),
}
"""For each picture the system, its view, and what is done there."""


def main() -> None:
    """Write one picture for each view."""
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for name, (system, view, act) in SHOTS.items():
            opened = open_system(system, samples=8)
            server = ServedConsole(opened)
            page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
            page.set_default_timeout(TIMEOUT)
            try:
                page.goto(server.address())
                page.wait_for_selector(".rail")
                page.goto(f"{server.base}/#/{opened.name}/{view}")
                page.wait_for_timeout(PAUSE)
                act(page)
                page.wait_for_timeout(PAUSE)
                wait_until_quiet(page)
                page.screenshot(path=FOLDER / f"{name}.png")
            finally:
                page.close()
                server.close()
                opened.close()
        browser.close()


if __name__ == "__main__":
    main()
