"""The first view is small, and every file of the page is loaded from the console."""

from collections.abc import Callable

from tests.console.browser.conftest import ConsolePage, wait_until_quiet

MOST_BYTES = 150_000
SIZES = """
() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
    .map((each) => [each.name, each.encodedBodySize])
"""


def test_the_first_view_is_below_150_kilobytes(console_page: Callable[..., ConsolePage]) -> None:
    console = console_page("collabhub", samples=1)
    page = console.page
    page.goto(console.server.address())
    page.wait_for_selector("main.view-overview")
    wait_until_quiet(page)
    sizes: dict[str, int] = dict(page.evaluate(SIZES))
    files = {name: size for name, size in sizes.items() if "/api/" not in name}
    assert all(name.startswith(console.server.base) for name in sizes)
    assert sum(files.values()) < MOST_BYTES, files
