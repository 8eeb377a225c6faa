"""Pages: the start page and the documentation of each API. They load only files that this package contains."""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
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


def start_page(systems: Sequence[System], endpoint: str) -> str:
    """Render the start page; `endpoint` is the URL of the DynamoDB protocol."""
    return _render("start.html", systems=[_card(system) for system in systems], endpoint=endpoint)


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
        "tables": len([table for table in system.design.tables if table is not system.design.key_table]),
        "patterns": sum(number.startswith("A") for number in numbers),
        "flows": sum(number.startswith("F") for number in numbers),
    }


def _render(page: str, **values: Any) -> str:
    return _PAGES.get_template(page).render(**values)
