"""Accessibility: axe finds no serious violation in any view, light and dark."""

from collections.abc import Callable
from typing import Any

import pytest

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
