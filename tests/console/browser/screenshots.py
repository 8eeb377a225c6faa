"""Takes the screenshots of docs/how-to/console.md: python -m tests.console.browser.screenshots"""

import json
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import sync_playwright

from tests.console.browser.conftest import FLAGS, ServedConsole, chromium
from tests.console.sample_console import open_system
from tests.console.shop import open_shop

FOLDER = Path(__file__).parents[3] / "docs" / "how-to" / "console"
ORDER = quote(json.dumps({"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "ORDER#o1"}}))
PAUSE = 1500
"""Milliseconds until a view has loaded its data."""
SHOTS = {
    "overview": ("collabhub", "overview"),
    "items": ("collabhub", "items"),
    "patterns": ("collabhub", "patterns/UsersByRole"),
    "edit": ("shop", f"edit?table=shop&key={ORDER}"),
    "streams": ("shop", "streams"),
    "time": ("shop", f"time?table=shop&key={ORDER}"),
    "heat_and_cost": ("collabhub", "heat_and_cost"),
    "health": ("collabhub", "health"),
    "operations": ("shop", "operations"),
    "query": ("collabhub", "query"),
}


def main() -> None:
    """Write one picture for each view."""
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for name, (system, view) in SHOTS.items():
            opened = open_shop() if system == "shop" else open_system(system, samples=8)
            server = ServedConsole(opened)
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(server.address())
            page.wait_for_selector(".rail")
            page.goto(f"{server.base}/#/{opened.name}/{view}")
            page.wait_for_timeout(PAUSE)
            if name == "edit":
                page.get_by_label("status").fill("paid")
                page.wait_for_selector(".effect")
            if name == "patterns":
                page.get_by_role("button", name="Fill in an example").click()
                page.wait_for_timeout(PAUSE)
            if name in ("patterns", "query"):
                page.get_by_role("button", name="Run", exact=True).click()
                page.wait_for_timeout(PAUSE)
            page.screenshot(path=FOLDER / f"{name}.png")
            page.close()
            server.close()
            opened.db.close()
        browser.close()


if __name__ == "__main__":
    main()
