"""The console in a browser: the first view, and the items view while it scrolls through a million items.

Chromium loads the page from a console on this machine. The replies to `/items/read` are generated: a page of sample
items of GoalsGuild, with other keys on each page, so that no store has to hold a million items. The page itself loads,
drops and shows them, as with any table.

    make bench ARGS=console
    make bench ARGS="console --items 100000"
"""

import os
import shutil
import statistics
import time
from collections.abc import Iterator
from typing import Any, TypeAlias

import orjson
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from tablewright_systems.registry import SYSTEMS

from benchmarks.settings import Settings
from tablewright import Repository, connect, keyrings
from tablewright.cli.web_server import Web, listen
from tablewright.console.application import build
from tablewright.console.browser_sessions import BrowserSessions
from tablewright.console.items.browse_pages import read_items
from tablewright.console.items.browse_requests import Browse
from tablewright.console.open_designs import OpenDesign

Figures: TypeAlias = dict[str, float]

ITEMS, QUICK_ITEMS = 1_000_000, 20_000
PAGE = 250
"""Items that the items view requests at once."""
SYSTEM = "goalsguild"
SAMPLES = 30
LOADS = 9
FRAMES = 600
SIZES = ((1280, 800), (1600, 1000))
WHEEL = 84
"""Pixels a frame: 3 rows, as a fast wheel."""
TIMEOUT = 900_000
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]
_MARK = "-@@@@@@"

# When the rail and the pictures of all tables are painted.
_PAINTED = """
addEventListener("DOMContentLoaded", () => {
  new MutationObserver((_, watch) => {
    if (!document.querySelector(".rail li") || !document.querySelector(".table-card")) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => { document.documentElement.dataset.painted = performance.now(); }));
  }).observe(document, { subtree: true, childList: true });
});
"""
_FIRST_VIEW = """() => {
  const files = performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
    .filter((each) => !each.name.includes("/api/"));
  const bytes = files.map((each) => each.encodedBodySize).reduce((sum, each) => sum + each, 0);
  return { ms: Number(document.documentElement.dataset.painted), bytes, files: files.length };
}"""
# Scroll to the end until all pages were loaded.
_LOAD_ALL = """async (items) => {
  const grid = document.querySelector(".grid");
  const start = performance.now();
  const loaded = () => Number(document.querySelector(".totals b").textContent.replaceAll(",", ""));
  while (loaded() < items) {
    const before = loaded();
    grid.scrollTop = grid.scrollHeight;
    while (loaded() === before) await new Promise((next) => setTimeout(next));
  }
  return performance.now() - start;
}"""
# One step a frame. The scroll event of a step comes directly before the next frame's callback, and the page renders
# in between: this time is the script time of a frame.
_SCROLL = """async ([by, frames, start]) => {
  const grid = document.querySelector(".grid");
  grid.scrollTop = start;
  await new Promise((next) => setTimeout(next, 1000));
  let began = null;
  const note = () => { began ??= performance.now(); };
  document.addEventListener("scroll", note, { capture: true });
  const script = [], times = [];
  await new Promise((done) => {
    requestAnimationFrame(function step(now) {
      if (began !== null) script.push(performance.now() - began);
      began = null;
      times.push(now);
      if (times.length > frames) return done();
      grid.scrollTop += by;
      requestAnimationFrame(step);
    });
  });
  document.removeEventListener("scroll", note, { capture: true });
  return { script, frames: times.slice(1).map((each, at) => each - times[at]) };
}"""
_ELEMENTS = "document.querySelectorAll('.grid *').length"


def report(settings: Settings) -> Iterator[str]:
    """Tables of the first view, of the elements of the grid, and of frames while it scrolls."""
    items = settings.items or (QUICK_ITEMS if settings.quick else ITEMS)
    served = Served(items)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=_chromium(), args=FLAGS)
            yield _first_view(browser, served, settings.rounds(LOADS))
            yield _elements(browser, served)
            yield _scrolling(browser, served, items, settings.rounds(FRAMES))
            browser.close()
    finally:
        served.close()


class GeneratedItems:
    """A console whose `/items/read` replies are one page of sample items, with other keys on each page."""

    def __init__(self, console: Any, page: dict[str, Any]) -> None:
        self._console = console
        self.items = ITEMS
        for row in page["items"]:
            name, value = next(iter(row["key"].items()))
            (kind,) = value
            value[kind] += _MARK
            row["item"][name] = value
            row["key_parts"][name][-1]["text"] += _MARK
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http" or not scope["path"].endswith("/items/read"):
            await self._console(scope, receive, send)
            return
        given = orjson.loads(await Request(scope, receive).body())
        number = int(given["cursor"] or 0)
        more = str(number + 1) if (number + 1) * PAGE < self.items else None
        content = orjson.dumps({**self._page, "cursor": more}).replace(_MARK.encode(), b"-%06d" % number)
        await Response(content, media_type="application/json")(scope, receive, send)


class Served:
    """A console of GoalsGuild with sample data, on a port of this machine."""

    def __init__(self, items: int) -> None:
        system = next(each for each in SYSTEMS if each.name == SYSTEM)
        db: Repository[Any] = connect(system.design, environment="bench", secrets=keyrings.MemoryKeys())
        system.fill(db, SAMPLES)
        source = f"tablewright_systems.{SYSTEM}.design:design"
        self._opened = OpenDesign(db, system.title, "memory", source, False, False)
        self.name, self._sessions = self._opened.name, BrowserSessions()
        page, self.table = _full_page(self._opened)
        self._console = build([self._opened], self._sessions)
        generated = GeneratedItems(self._console, page)
        generated.items = items
        self._listener = listen("127.0.0.1", 0)
        self._web = Web(generated, self._listener)
        self.base = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def page(self, browser: Browser, size: tuple[int, int] = SIZES[0]) -> Page:
        """Return a page of a new browser context: it has a session, and an empty cache."""
        context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        context.set_default_timeout(TIMEOUT)
        context.request.get(f"{self.base}/?token={self._sessions.issue()}")
        return context.new_page()

    def items_page(self, browser: Browser, size: tuple[int, int] = SIZES[0]) -> Page:
        """Return a page with the items view."""
        page = self.page(browser, size)
        page.goto(f"{self.base}/#/{self.name}/items/{self.table}")
        page.wait_for_selector(".grid-row.item")
        return page

    def close(self) -> None:
        """Stop the server."""
        self._console.close()
        self._web.stop()
        self._listener.close()
        self._opened.close()


def _full_page(opened: OpenDesign) -> tuple[dict[str, Any], str]:
    """Return a page of items of a table that has enough of them, and the name of the table."""
    for table in opened.db.design.tables:
        page = read_items(opened, Browse(table=table.name, limit=PAGE))
        if len(page["items"]) == PAGE:
            return page, table.name
    raise SystemExit(f"no table of {SYSTEM} has {PAGE} sample items; raise SAMPLES")


def _chromium() -> str:
    names = ("chromium", "chromium-browser")
    chromium = os.environ.get("TABLEWRIGHT_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        raise SystemExit(
            "no Chromium found: apt-get install chromium, or set TABLEWRIGHT_CHROMIUM to its path"
        )
    return chromium


def _first_view(browser: Browser, served: Served, rounds: int) -> str:
    """Measure loads with an empty cache, and reloads."""
    cold: list[Figures] = []
    warm: list[Figures] = []
    for _ in range(rounds):
        page = served.page(browser)
        page.add_init_script(_PAINTED)
        session = _measured(page)
        for found in (cold, warm):
            page.goto("about:blank")
            start, before = time.process_time(), _metrics(session)["TaskDuration"]
            page.goto(f"{served.base}/")
            page.wait_for_selector("html[data-painted]")
            processor = {
                "server": time.process_time() - start,
                "page": _metrics(session)["TaskDuration"] - before,
            }
            found.append(page.evaluate(_FIRST_VIEW) | processor)
        page.context.close()
    lines = [
        "### First view: until the overview is painted",
        "",
        "| | median ms | least | most | processor ms of the page | of the server | files | KB |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, found in (("empty cache", cold), ("files in the cache", warm)):
        times = [each["ms"] for each in found]
        script, server = (
            statistics.median(each[side] for each in found) * 1000 for side in ("page", "server")
        )
        lines.append(
            f"| {name} | {statistics.median(times):.0f} | {min(times):.0f} | {max(times):.0f} | {script:.0f} |"
            f" {server:.0f} | {found[0]['files']:.0f} | {found[0]['bytes'] / 1000:.0f} |"
        )
    return "\n".join([*lines, "", f"{rounds} loads each. Budget: 300 ms, 150 KB.", ""])


def _elements(browser: Browser, served: Served) -> str:
    """Count the elements of the grid at the top, in the middle of a page, and scrolled sideways."""
    lines = [
        "### Elements of the grid",
        "",
        "| window | top | middle | sideways | whole page |",
        "|---|---:|---:|---:|---:|",
    ]
    for size in SIZES:
        page = served.items_page(browser, size)
        counts = [page.evaluate(_ELEMENTS)]
        for to in ("element => element.scrollTo(0, 3000)", "element => element.scrollTo(500, 3000)"):
            page.locator(".grid").evaluate(to)
            page.wait_for_timeout(200)
            counts.append(page.evaluate(_ELEMENTS))
        counts.append(page.evaluate("document.querySelectorAll('*').length"))
        lines.append(f"| {size[0]} x {size[1]} | {' | '.join(map(str, counts))} |")
        page.context.close()
    return "\n".join([*lines, "", "Budget: 400.", ""])


def _scrolling(browser: Browser, served: Served, items: int, frames: int) -> str:
    """Load all items, then scroll."""
    page = served.items_page(browser)
    session = _measured(page)
    loading = page.evaluate(_LOAD_ALL, items)
    lines = [
        f"### Scrolling through {items:,} items, {frames} frames each",
        "",
        "| | script ms, median | p95 | most | processor ms a frame | of it style and layout | frames a second"
        " | frames later than 20 ms |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    height = page.locator(".grid").evaluate("element => element.scrollHeight")
    runs = {
        "rows in memory, 84 px a frame": (-WHEEL, height - 1000),
        "rows that are read again, 84 px a frame": (WHEEL, height // 4),
        f"the whole list in {frames} frames": (height // frames, 0),
    }
    for name, (by, start) in runs.items():
        before = _metrics(session)
        evaluate = page.evaluate(_SCROLL, [by, frames, start])
        after = _metrics(session)
        used = {each: (after[each] - before[each]) * 1000 / frames for each in after}
        drawing = used["LayoutDuration"] + used["RecalcStyleDuration"]
        script, times = sorted(evaluate["script"]), evaluate["frames"]
        late = sum(each > 20 for each in times) / len(times)
        lines.append(
            f"| {name} | {statistics.median(script):.2f} | {script[len(script) * 95 // 100]:.2f} | {script[-1]:.1f} |"
            f" {used['TaskDuration']:.2f} | {drawing:.2f} | {1000 * len(times) / sum(times):.0f} | {late:.0%} |"
        )
    page.context.close()
    pages = items // PAGE
    loads = f"{loading / pages:.1f} ms to load and show each of the {pages:,} pages. Budget: 16.7 ms a frame."
    return "\n".join([*lines, "", loads, ""])


def _measured(page: Page) -> CDPSession:
    """Return a session that counts the processor time of the page's main thread."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return session


def _metrics(session: CDPSession) -> Figures:
    return {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
