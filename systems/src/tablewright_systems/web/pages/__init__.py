"""Pages: the start page and the documentation of each API. They load only files that this package contains."""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from shlex import quote
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from tablewright_systems.registry import System

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of every page: scripts, styles and requests only from and to this server, and nothing inline."""


def _text(name: str) -> str:
    return (files(__name__) / name).read_text()


_PAGES = Environment(loader=FunctionLoader(_text), autoescape=True, undefined=StrictUndefined)
_FOLDER = Path(__file__).parent


def asset_routes() -> list[Mount]:
    """Routes of the scripts and styles that the pages load."""
    return [Mount(f"/{name}", StaticFiles(directory=_FOLDER / name)) for name in ("assets", "vendor")]


def start_page(
    systems: Sequence[System], endpoint: str, data: Path | None = None, console_token: str | None = None
) -> str:
    """Render the start page.

    `endpoint` is the URL of the DynamoDB protocol, `data` the file that it serves, `console_token` opens the console.
    """
    location = "" if data is None else f" --on {quote(str(data))}"
    cards = [_card(system) for system in systems]
    return _render("start.html", systems=cards, endpoint=endpoint, location=location, token=console_token)


def docs_page(title: str, root: str, people: Sequence[str] = ()) -> str:
    """Render the documentation page of an API (Swagger UI).

    `root` is the path that the API is mounted at; `people` are the sample people that the page can mint tokens for.
    """
    return _render("docs.html", title=title, root=root, people=people)


def _card(system: System) -> dict[str, Any]:
    numbers = [proof.number for proof in system.proofs]
    return {
        "name": system.name,
        "title": system.title,
        "summary": system.summary,
        "tables": _count(
            sum(table is not system.design.key_table for table in system.design.tables), "table"
        ),
        "patterns": _count(sum(number.startswith("A") for number in numbers), "access pattern"),
        "flows": _count(sum(number.startswith("F") for number in numbers), "flow"),
    }


def _count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> _count(1, "table"), _count(2, "table")
    ('1 table', '2 tables')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _render(page: str, **values: Any) -> str:
    return _PAGES.get_template(page).render(**values)
