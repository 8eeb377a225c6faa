"""A real browser on a real server: Playwright drives Debian's Chromium."""

import os
import shutil
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tablewright.cli.web_server import Web, listen
from tablewright.console.application import build
from tablewright.console.browser_sessions import Sessions
from tablewright.console.open_designs import OpenDesign
from tablewright.console.tasks import Tasks
from tests.console.sample_console import open_system

REQUIRED = "TABLEWRIGHT_REQUIRE_BROWSER"
TIMEOUT = 20_000
"""Milliseconds that a test waits for a page, on a machine that does other things too."""
LATE_FRAMES = "requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 500)"
"""A browser that draws late, as on a loaded machine: what a page defers to the next frame comes after the next key."""
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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
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
        self.sessions = Sessions()
        self.port = 0
        self.start()

    def start(self) -> None:
        listener: socket.socket = listen("127.0.0.1", self.port)
        self.port = listener.getsockname()[1]
        # A console that was stopped ends its tasks: one that comes back has none.
        self.designs = tuple(replace(each, tasks=Tasks()) for each in self.designs)
        self._console = build(self.designs, self.sessions)
        self._web = Web(self._console, listener)
        self._listener = listener

    def stop(self) -> None:
        self._console.close()
        self._web.stop()
        self._listener.close()

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
        """Open a view: `items/users?index=GSI1`; the first time with a token."""
        name = design or self.server.designs[0].name
        if self.page.url == "about:blank":
            self.page.goto(self.server.address())
            self.page.wait_for_url(f"{self.server.base}/*")
            self.page.wait_for_selector(".rail")
        self.page.goto(f"{self.server.base}/#/{name}/{view}")
        return self.page


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
        )
        context.set_default_timeout(TIMEOUT)
        if late_frames:
            context.add_init_script(LATE_FRAMES)
        page = ConsolePage(context.new_page(), server)
        opened.append((page, server, context))
        return page

    yield start
    for page, server, context in opened:
        context.close()
        server.stop()
        for design in server.designs:
            design.close()
        assert page.errors == []
