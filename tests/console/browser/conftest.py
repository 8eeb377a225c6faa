"""A real browser on a real server: Playwright drives Debian's Chromium."""

import os
import re
import shutil
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from tablewright.cli.web_server import Web, listen
from tablewright.console.application import build
from tablewright.console.browser_sessions import BrowserSessions
from tablewright.console.open_designs import OpenDesign
from tablewright.console.tasks import Tasks
from tests.console.sample_console import open_system

REQUIRED = "TABLEWRIGHT_REQUIRE_BROWSER"
TIMEOUT = 60_000
"""Milliseconds that a test waits for a page, on a machine that does other things too."""
POLL = 50
"""Milliseconds between two looks at something that a locator cannot wait for."""
LONG_TOASTS = """(() => {
  const later = setTimeout;
  setTimeout = (run, delay, ...given) => later(run, delay >= 5000 ? 3_600_000 : delay, ...given);
})()"""
"""A toast leaves after some seconds; a slow test must still see it."""
LATE_FRAMES = "requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 500)"
"""A browser that draws late, as on a loaded machine: what a page defers to the next frame comes after the next key."""
CLIPBOARD = "navigator.clipboard.readText()"
HOW_TO = "apt-get install chromium, or set TABLEWRIGHT_CHROMIUM to the path of a Chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str:
    """Return the path of Chromium; without one, skip loudly, or fail where a browser is required."""
    found = (
        os.environ.get("TABLEWRIGHT_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )
    if found is None:
        reason = f"NO BROWSER: the pages of the console are not tested. To test them: {HOW_TO}"
        if os.environ.get(REQUIRED):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for the tests of this folder, which run one after another.

    It must end before other tests: while Playwright is open, its thread has a running event loop.
    """
    path = chromium()
    expect.set_options(timeout=TIMEOUT)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class ServedConsole:
    """A console on a port of its own; it can die and come back."""

    def __init__(self, *designs: OpenDesign) -> None:
        self.designs = designs
        self.sessions = BrowserSessions()
        # This socket is bound and does not listen: no other process gets the port while the console is stopped.
        self._reserved = socket.socket()
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.bind(("127.0.0.1", 0))
        self.port: int = self._reserved.getsockname()[1]
        self.start()

    def start(self) -> None:
        listener = listen("127.0.0.1", self.port)
        # A console that was stopped ends its tasks: one that comes back has none.
        self.designs = tuple(replace(design, tasks=Tasks()) for design in self.designs)
        self._console = build(self.designs, self.sessions)
        self._web = Web(self._console, listener)
        self._listener = listener

    def stop(self) -> None:
        self._console.close()
        self._web.stop()
        self._listener.close()

    def close(self) -> None:
        """Stop, and give the port back."""
        self.stop()
        self._reserved.close()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def address(self) -> str:
        """Return an address with a new token."""
        return f"{self.base}/?token={self.sessions.issue()}"


class ConsolePage:
    """A page of the browser with the console in it."""

    def __init__(self, page: Page, server: ServedConsole) -> None:
        self.page = page
        self.server = server
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._note)

    def _note(self, message: Any) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.errors.append(message.text)

    def open(self, view: str = "overview", design: str | None = None) -> Page:
        """Open a view, and wait until it is there: `items/users?index=GSI1`; the first time with a token."""
        name = design or self.server.designs[0].name
        if self.page.url == "about:blank":
            self.page.goto(self.server.address())
            self.page.wait_for_url(f"{self.server.base}/*")
            self.page.wait_for_selector(".rail")
        self.page.goto(f"{self.server.base}/#/{name}/{view}")
        self.page.wait_for_selector(f"main.view-{re.split('[/?]', view)[0]}")
        return self.page


def wait_until(page: Page, expression: str, *, is_met: Callable[[Any], bool] = bool) -> None:
    """Wait until the value of a JavaScript expression meets a condition.

    `page.wait_for_function` cannot: the content security policy forbids `eval`.
    """
    for _ in range(TIMEOUT // POLL):
        if is_met(page.evaluate(expression)):
            return
        page.wait_for_timeout(POLL)
    pytest.fail(f"{expression} is {page.evaluate(expression)!r}")


def wait_until_quiet(page: Page) -> None:
    """Wait until the page has its styles, and loads no data."""
    wait_until(page, "[...document.querySelectorAll('link[rel=stylesheet]')].every((each) => each.sheet)")
    expect(page.locator("main.page:not([aria-busy=true])")).to_have_count(1)
    expect(page.locator(".loading")).to_have_count(0)


class HeldRequests:
    """Requests to an address that wait, as on a slow server, until they are let go."""

    def __init__(self, page: Page, address: str) -> None:
        self._page = page
        self._routes: list[Route] = []
        page.route(address, lambda route: self._routes.append(route))

    def release(self) -> None:
        """Let the oldest go; wait for it, if it was not sent yet."""
        for _ in range(TIMEOUT // POLL):
            if self._routes:
                self._routes.pop(0).continue_()
                return
            self._page.wait_for_timeout(POLL)
        pytest.fail("No request was sent.")


@pytest.fixture
def console_page(browser: Browser) -> Iterator[Callable[..., ConsolePage]]:
    """Open the console of a system in a new page: `console_page("boards", samples=3)`, or of given open designs.

    No script may fail, and nothing may violate the content security policy.
    """
    opened: list[tuple[ConsolePage, ServedConsole, Any]] = []

    def start(
        system: str | OpenDesign = "boards",
        *more: OpenDesign,
        size: tuple[int, int] = (1280, 800),
        dark: bool = False,
        late_frames: bool = False,
        **options: Any,
    ) -> ConsolePage:
        first = open_system(system, **options) if isinstance(system, str) else system
        server = ServedConsole(first, *more)
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            permissions=["clipboard-read", "clipboard-write"],
            reduced_motion="reduce",  # a colour that fades in has too little contrast for a while
        )
        context.set_default_timeout(TIMEOUT)
        context.add_init_script(LONG_TOASTS)
        if late_frames:
            context.add_init_script(LATE_FRAMES)
        page = ConsolePage(context.new_page(), server)
        opened.append((page, server, context))
        return page

    yield start
    for page, server, context in opened:
        context.close()
        server.close()
        for design in server.designs:
            design.close()
        assert page.errors == []
