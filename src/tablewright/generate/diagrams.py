"""Diagrams: the entities of each table, and the indexes that contain them."""

import re
from collections.abc import Iterable
from html import escape

from tablewright.design.designs import Design
from tablewright.design.tables.tables import Table
from tablewright.generate.design_document import key_text

_LINE = 18
_PAD = 12
_BOX = 340
_GAP = 60


def mermaid(design: Design, tables: Iterable[Table] | None = None) -> str:
    """A Mermaid flowchart: entities, their tables, and the indexes that contain them."""
    lines = ["flowchart LR"]
    for table in tables or design.tables:
        node = _id("t", table.name)
        lines.append(f'  {node}[("{_quoted(table.name)}")]')
        for index in table.indexes:
            lines.append(f'  {_id(node, index.name)}[/"{_quoted(index.name)}"/]')
            lines.append(f"  {node} --- {_id(node, index.name)}")
        for entity in design.entities_of(table):
            mine = _id("e", entity.__name__)
            lines.append(f'  {mine}["{entity.__name__}"] --> {node}')
            for key in entity.layout.indexes:
                if key.index is not None:
                    lines.append(f"  {mine} -.-> {_id(node, key.index.name)}")
    return "\n".join(lines) + "\n"


def _id(*parts: str) -> str:
    return "_".join(re.sub(r"[^A-Za-z0-9]", "_", part) for part in parts)


def _quoted(text: str) -> str:
    return text.replace('"', "#quot;")


def svg(design: Design, table: Table) -> str:
    """A diagram of one table: its entities with their keys on the left, the table and its indexes on the right."""
    left = [
        (entity.__name__, [key_text(key) for key in (entity.layout.primary, *entity.layout.indexes)])
        for entity in design.entities_of(table)
    ]
    right = [(table.name, [" + ".join(table.key)])]
    right += [(index.name, [" + ".join(index.key)]) for index in table.indexes]
    placed_left, placed_right = _place(left), _place(right)
    links = [
        (entity.__name__, key.index.name if key.index else table.name)
        for entity in design.entities_of(table)
        for key in (entity.layout.primary, *entity.layout.indexes)
    ]
    height = max([bottom for _, _, _, bottom in (*placed_left, *placed_right)], default=0) + _PAD
    middles = {title: (top + bottom) / 2 for title, _, top, bottom in placed_right}
    starts = {title: (top + bottom) / 2 for title, _, top, bottom in placed_left}
    lines = "".join(_curve(starts[one], middles[other]) for one, other in links)
    boxes = "".join(_box(0, *each) for each in placed_left) + "".join(
        _box(_BOX + _GAP, *each) for each in placed_right
    )
    width = 2 * _BOX + _GAP
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(table.name)}">'
        f"{lines}{boxes}</svg>"
    )


Placed = tuple[str, list[str], int, int]


def _place(boxes: list[tuple[str, list[str]]]) -> list[Placed]:
    """The boxes of one column, each with its top and bottom."""
    placed, top = [], 0
    for title, lines in boxes:
        bottom = top + _LINE * (len(lines) + 1) + _PAD
        placed.append((title, lines, top, bottom))
        top = bottom + _PAD
    return placed


def _box(left: int, title: str, lines: list[str], top: int, bottom: int) -> str:
    texts = "".join(
        f'<text class="small" x="{left + _PAD}" y="{top + _LINE * (place + 2)}">{escape(_cropped(line))}</text>'
        for place, line in enumerate(lines)
    )
    return (
        f'<rect x="{left + 1}" y="{top + 1}" width="{_BOX - 2}" height="{bottom - top - 2}" rx="6"/>'
        f'<text x="{left + _PAD}" y="{top + _LINE}">{escape(_cropped(title))}</text>{texts}'
    )


def _cropped(text: str, most: int = 52) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _curve(start: float, end: float) -> str:
    one, other, middle = _BOX, _BOX + _GAP, _BOX + _GAP / 2
    return f'<path d="M{one} {start} C{middle} {start} {middle} {end} {other} {end}"/>'
