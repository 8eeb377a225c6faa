"""Pages: where a visitor starts, and what each API can do. They load nothing from elsewhere, so they work offline."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from tablewright_systems.pages.endpoints import endpoints_of
from tablewright_systems.registry import System

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'"
}
"""What browsers are told with every page: it loads nothing, and speaks to nobody but us."""


def _text(name: str) -> str:
    return (files(__name__) / name).read_text()


_PAGES = Environment(loader=FunctionLoader(_text), autoescape=True, undefined=StrictUndefined)


def start_page(systems: Sequence[System], endpoint: str) -> str:
    """The page that leads to the systems; `endpoint` is where their data speaks DynamoDB."""
    return _render("start.html", systems=[_card(system) for system in systems], endpoint=endpoint)


def docs_page(name: str, root: str, openapi: dict[str, Any]) -> str:
    """What an API can do, with a form for each endpoint; `root` is the path it is mounted at."""
    about = openapi["info"]
    return _render(
        "docs.html",
        name=name,
        title=about["title"],
        description=about.get("description", ""),
        root=root,
        groups=endpoints_of(openapi),
        script=Markup(_text("docs.js")),
    )


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
    return _PAGES.get_template(page).render(style=Markup(_text("style.css")), **values)
