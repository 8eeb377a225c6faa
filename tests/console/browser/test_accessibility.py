"""Accessibility: axe finds no serious violation in any view, light and dark."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.console.browser.conftest import ConsolePage, wait_until_quiet
from tests.console.page_tools import npm_file

VIEWS = (
    "overview",
    "items",
    "patterns",
    "edit",
    "streams",
    "time",
    "heat_and_cost",
    "health",
    "operations",
    "query",
)


def violations(page: Any) -> list[str]:
    """Return the serious violations on a page: the rule, and the first elements."""
    wait_until_quiet(page)
    page.evaluate(npm_file("axe-core/axe.min.js").read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [
        f"{each['id']}: {each['help']}: {[node['html'][:120] for node in each['nodes'][:3]]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_view_has_a_serious_violation(console_page: Callable[..., ConsolePage], dark: bool) -> None:
    console = console_page("goalsguild", samples=2, dark=dark)
    found = {}
    for view in VIEWS:
        page = console.open(view)
        found[view] = violations(page)
    assert {view: each for view, each in found.items() if each} == {}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_panels_dialogs_and_forms_have_no_serious_violation(
    console_page: Callable[..., ConsolePage], dark: bool
) -> None:
    console = console_page("goalsguild", samples=2, dark=dark)
    page = console.open("items?entity=User&role=entity")
    page.locator(".grid-row.item").first.click()
    page.get_by_role("button", name="Pin").click()
    page.locator(".grid-row.item").nth(1).click()
    page.locator(".totals").click()
    expect(page.get_by_role("complementary")).to_have_count(2)
    found = {"item": violations(page)}
    page.get_by_role("complementary", name="Details").get_by_role("link", name="Edit", exact=True).click()
    page.locator(".editor-form input:not(:disabled)").nth(1).fill("changed")
    expect(page.locator(".editor-effects .effect, .editor-effects .problem").first).to_be_visible()
    found["edit"] = violations(page)
    page.keyboard.press("Control+k")
    page.keyboard.type("goal")
    found["palette"] = violations(page)
    page.keyboard.press("Escape")
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("?")
    found["help"] = violations(page)
    page.get_by_role("button", name="Close").click()
    console.open("streams?start=oldest")
    page.locator(".grid-row.change").first.click()
    found["record"] = violations(page)
    console.open("time")
    page.locator(".grid-row.change").first.click()
    expect(page.get_by_label("Point in time")).to_be_visible()
    found["versions"] = violations(page)
    assert {place: each for place, each in found.items() if each} == {}
