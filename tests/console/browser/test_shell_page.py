"""The frame of the page: sessions, navigation, keyboard, a server that goes away."""

import re
from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.console.browser.conftest import POLL, ConsolePage
from tests.console.sample_console import open_system

Start = Callable[..., ConsolePage]


def test_the_printed_address_opens_the_console_once(console_page: Start) -> None:
    console = console_page(samples=0)
    page = console.page
    address = console.server.address()
    page.goto(address)
    page.wait_for_selector(".rail")
    expect(page).not_to_have_url(re.compile("token"))
    other = page.context.browser
    assert other is not None
    second = other.new_context().new_page()
    second.goto(address)
    expect(second.locator("h1")).to_have_text("This browser has no session")
    expect(second.locator("h1")).to_have_css("font-size", "20px")  # the policy accepts the style of the page
    second.context.close()


def test_views_are_reached_by_mouse_and_by_keyboard(console_page: Start) -> None:
    console = console_page(samples=0)
    page = console.open()
    page.click("nav >> text=Patterns")
    expect(page).to_have_url(re.compile("#/boards/patterns$"))
    page.evaluate("performance.now = () => 10_000")  # the second key may come late, on a slow machine
    page.keyboard.press("g")
    page.keyboard.press("i")
    expect(page.locator("nav a[aria-current]")).to_have_text("Items")
    page.keyboard.press("?")
    expect(page.locator("dialog.help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog.help")).to_have_count(0)


def test_the_palette_finds_entities_and_patterns(console_page: Start) -> None:
    console = console_page(samples=0)
    page = console.open()
    page.keyboard.press("Control+k")
    name = console.server.designs[0].design.patterns[0].__name__
    page.keyboard.type(name)
    expect(page.locator("dialog.palette [aria-selected=true]")).to_contain_text(name)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"#/boards/patterns/{name}$"))


def test_no_key_is_lost_while_the_palette_opens(console_page: Start) -> None:
    page = console_page(samples=0, late_frames=True).open()
    page.keyboard.press("Control+k")
    page.keyboard.type("Query")
    page.keyboard.press("Enter")
    expect(page.locator("nav a[aria-current]")).to_have_text("Query")


def test_several_designs_can_be_chosen(console_page: Start) -> None:
    console = console_page("boards", open_system("goalsguild", samples=0), samples=0)
    page = console.open()
    page.select_option("select.design", "goalsguild")
    expect(page).to_have_title("Overview · GoalsGuild")


def test_the_page_goes_on_when_the_server_is_back(console_page: Start) -> None:
    console = console_page(samples=0)
    page = console.open()
    console.server.stop()
    page.evaluate("import('./page/parts/api.js').then(({api}) => api.designs().catch(() => {}))")
    expect(page.locator(".banner")).to_contain_text("does not reply")
    console.server.start()
    expect(page.locator(".banner")).to_have_count(0)


def test_a_view_that_fails_leaves_the_others_alone(console_page: Start) -> None:
    console = console_page("boards", samples=0)
    reply = {"body": '{"tables": 5}', "content_type": "application/json"}
    console.page.route("**/designs/boards/streams", lambda route: route.fulfill(**reply))
    page = console.open("overview")
    page.get_by_role("link", name="Streams").click()
    expect(page.locator("main .problem")).to_contain_text("This view failed")
    page.get_by_role("link", name="Patterns").click()
    expect(page.locator("main.view-patterns")).to_contain_text("BoardById")
    assert console.errors
    console.errors.clear()


def test_the_theme_can_be_chosen(console_page: Start) -> None:
    page = console_page(samples=0).open()
    page.click("text=Theme: system")
    page.click("text=Theme: light")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.get_by_text("Theme: dark")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_an_address_counts_before_the_browser_reports_it(console_page: Start) -> None:
    console = console_page(samples=0)
    page = console.page
    held: list[Route] = []
    page.add_init_script("addEventListener('hashchange', (event) => event.stopImmediatePropagation(), true)")
    page.route("**/api/v1/designs", lambda route: held.append(route))
    page.goto(console.server.address())
    page.wait_for_selector(".rail")
    while not held:
        page.wait_for_timeout(POLL)
    page.evaluate("location.hash = '#/boards/items'")
    held[0].continue_()
    current = page.locator("nav a[aria-current]")
    expect(current).to_have_text("Items")
    page.evaluate("performance.now = () => 10_000")
    page.keyboard.press("g")
    page.keyboard.press("p")
    expect(current).to_have_text("Patterns")
