"""HTML: the documentation of a design as one self-contained page, with diagrams of its tables."""

from collections.abc import Iterator
from html import escape

from tablewright.design.designs import Design
from tablewright.generate.design_document import Chapter, Grid, document
from tablewright.generate.diagrams.svg import svg
from tablewright.generate.example_partitions import ItemCollection

_FEW_COLUMNS = 5
_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fbfaf7; --line: #d9d4c7; --accent: #9a4f1c;
  --head: #f1eee6; --faint: #5d6675; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e6e1; --paper: #14171c; --line: #3a4150; --accent: #e0935c;
    --head: #232831; --faint: #a3abb8; }
}
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 81rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
nav a { display: inline-block; margin: 0 1rem .25rem 0; }
a { color: var(--accent); }
table { border-collapse: collapse; margin: .75rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .75rem .3rem 0; text-align: left; vertical-align: top; }
code { font: 13px ui-monospace, monospace; }
table.dense { font-size: 13px; line-height: 1.4; }
table.dense td, table.dense th { padding-right: .5rem; }
table.dense code { font-size: 12px; }
table.dense td:nth-child(2) { min-width: 11rem; }
table.dense td:nth-child(5) { min-width: 12rem; }
table.dense td:last-child { min-width: 5rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
.wide svg { display: block; max-width: 100%; min-width: 26rem; height: auto; }
table.items { display: table; font-size: 13px; line-height: 1.35; }
table.items caption { text-align: left; font-weight: 600; padding: .25rem 0; }
table.items th, table.items td { border: 1px solid var(--line); padding: .3rem .6rem; }
table.items th { background: var(--head); }
table.items td.key, table.items td.type { font: 12px/1.5 ui-monospace, monospace; }
table.items td.key { color: var(--accent); overflow-wrap: anywhere; min-width: 13rem; }
table.items td { min-width: 6rem; max-width: 18rem; overflow-wrap: anywhere; }
table.items td b { display: block; font-size: 11px; color: var(--faint); }
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
        yield f'<div class="wide">{svg(design, chapter.figure)}</div>\n'
    for grid in chapter.grids:
        yield _grid(grid)
    for collection in chapter.collections:
        yield _collection(collection)
    for part in chapter.parts:
        yield from _chapter(part, level + 1, design)


def _grid(grid: Grid) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in grid.head)
    rows = "".join(
        "<tr>" + "".join(_cell(text, column) for column, text in enumerate(row)) + "</tr>\n"
        for row in grid.rows
    )
    kind = ' class="dense"' if len(grid.head) > _FEW_COLUMNS else ""
    return f"<table{kind}><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>\n"


def _collection(collection: ItemCollection) -> str:
    """A partition as single-table designers draw it: its key spans the rows of its items."""
    where = "Table" if collection.place == "table" else f"Index {collection.place}"
    widest = max(len(row.attributes) for row in collection.rows)
    head = [collection.partition_attribute, *filter(None, [collection.sort_attribute]), "type"]
    cells = "".join(f"<th>{escape(text)}</th>" for text in head)
    cells += f'<th colspan="{widest}">attributes</th>' if widest else ""
    rows = []
    for place, row in enumerate(collection.rows):
        span = len(collection.rows)
        key = f'<td class="key" rowspan="{span}">{_key(collection.partition_key)}</td>' if place == 0 else ""
        sort = f'<td class="key">{_key(row.sort_key)}</td>' if collection.sort_attribute else ""
        values = "".join(f"<td><b>{escape(name)}</b>{escape(text)}</td>" for name, text in row.attributes)
        rest = widest - len(row.attributes)
        values += f'<td colspan="{rest}"></td>' if rest else ""
        rows.append(f'<tr>{key}{sort}<td class="type">{escape(row.type)}</td>{values}</tr>\n')
    more = f"<p>{collection.remark}</p>\n" if collection.remark else ""
    return (
        f'<div class="wide"><table class="items"><caption>{escape(where)}</caption><thead><tr>{cells}</tr></thead>\n'
        f"<tbody>{''.join(rows)}</tbody></table></div>\n{more}"
    )


def _key(text: str) -> str:
    """A text that may break after the separators of keys."""
    return escape(text).replace("#", "#<wbr>")


def _cell(text: str, column: int) -> str:
    return f"<td><code>{escape(text)}</code></td>" if column == 0 and text else f"<td>{_key(text)}</td>"


def _anchor(chapter: Chapter) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in chapter.title.lower())
