"""HTML: the documentation of a design as one self-contained page, with diagrams of its tables."""

from collections.abc import Iterator
from html import escape

from tablewright.design.designs import Design
from tablewright.generate.design_document import Chapter, Grid, document
from tablewright.generate.diagrams.svg import svg

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fbfaf7; --line: #d9d4c7; --accent: #9a4f1c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e6e1; --paper: #14171c; --line: #3a4150; --accent: #e0935c; }
}
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 64rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
nav a { display: inline-block; margin: 0 1rem .25rem 0; }
a { color: var(--accent); }
table { border-collapse: collapse; margin: .75rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .75rem .3rem 0; text-align: left; vertical-align: top; }
code, svg text { font: 13px ui-monospace, monospace; }
svg { max-width: 100%; margin: 1rem 0; }
svg rect { fill: none; stroke: var(--line); }
svg text { fill: var(--ink); font-weight: 600; }
svg text.small { font-size: 11px; font-weight: 400; }
svg path { fill: none; stroke: var(--accent); opacity: .55; }
"""


def html(design: Design) -> str:
    """The design document as an HTML page."""
    whole = document(design)
    links = "".join(f'<a href="#{_anchor(part)}">{escape(part.title)}</a>' for part in whole.parts)
    body = "".join(_chapter(whole, 1, design, links))
    title = escape(design.name)
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n{body}</html>\n"
    )


def _chapter(chapter: Chapter, level: int, design: Design, links: str = "") -> Iterator[str]:
    depth = min(level, 6)
    yield f'<h{depth} id="{_anchor(chapter)}">{escape(chapter.title)}</h{depth}>\n'
    for paragraph in chapter.paragraphs:
        yield f"<p>{escape(paragraph)}</p>\n"
    if links:
        yield f"<nav>{links}</nav>\n"
    if chapter.figure is not None:
        yield f"{svg(design, chapter.figure)}\n"
    for grid in chapter.grids:
        yield _grid(grid)
    for part in chapter.parts:
        yield from _chapter(part, level + 1, design)


def _grid(grid: Grid) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in grid.head)
    rows = "".join(
        "<tr>" + "".join(_cell(text, column) for column, text in enumerate(row)) + "</tr>\n"
        for row in grid.rows
    )
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>\n"


def _cell(text: str, column: int) -> str:
    return f"<td><code>{escape(text)}</code></td>" if column == 0 and text else f"<td>{escape(text)}</td>"


def _anchor(chapter: Chapter) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in chapter.title.lower())
