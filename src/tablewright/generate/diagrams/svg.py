"""SVG: a diagram of one table. One panel for the table and for each index, one card for each form of partition key, and
in a card the entities that share such a partition, in the rows that a query would return.

There are no lines between boxes: an entity has the same colour in every panel. The image is self-contained, follows the
light or dark mode of the reader, and has a title and a description.

SVG does not wrap text, and the font of the reader is not known. So widths are estimated from above: key templates in a
monospace font (0.6 of the size in all common ones), names in a bold sans font by a table for the widest common one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from tablewright.design.designs import Design
from tablewright.design.tables import Table
from tablewright.generate.diagrams.partitions import DiagramPartition, DiagramPlace, places

_MONOSPACE = 0.62
_NARROW = frozenset("ijl.,:;'|!`()[]{}/\\ ")
_MEDIUM = frozenset('ftrI-"*^1')
_WIDE = frozenset("mwMW@%&")


def mono_width(text: str, size: float) -> float:
    """The width of a text in a monospace font.

    >>> mono_width("USER#", 10)
    31.0
    """
    return len(text) * _MONOSPACE * size


def sans_width(text: str, size: float) -> float:
    """The width of a text in a bold sans font, estimated from above.

    >>> sans_width("Will", 10) < sans_width("MMMM", 10)
    True
    """
    return sum(map(_letter, text)) * size


def _letter(letter: str) -> float:
    if letter in _NARROW:
        return 0.42
    if letter in _MEDIUM:
        return 0.52
    if letter in _WIDE:
        return 1.06
    return 0.82 if letter.isupper() or not letter.isascii() else 0.7


def wrapped(text: str, most: int) -> list[str]:
    """The lines of a key template, each of at most that many characters; broken at `#`, fields and blanks if possible.

    >>> wrapped("STARTUP#{startup_id}#ROLE#{role_id}", 24)
    ['STARTUP#{startup_id}', '#ROLE#{role_id}']
    """
    lines = [""]
    for piece in re.findall(r"\{[^}]*\}|#[^#{ ]*| [^#{ ]*|[^#{ ]+", text):
        if len(lines[-1]) + len(piece) <= most:
            lines[-1] += piece
            continue
        rest = piece.lstrip()
        lines += [""] if lines[-1] else []
        while len(rest) > most:
            lines[-1], rest = rest[:most], rest[most:]
            lines.append("")
        lines[-1] = rest
    return lines


_COLUMNS = 3
_CARD = 396
_GAP = 14
_PAD = 14
_LINE = 17
_SIZE = 12
_TITLE = 15
_HEAD = 40
_CHIP = 20
_CHIP_MOST = 212
_FULL = _COLUMNS * _CARD + (_COLUMNS - 1) * _GAP + 2 * _PAD
"""The width of a row with as many cards as there are columns."""
_HUES = (212, 145, 28, 280, 352, 178, 50, 236, 110, 322, 12, 195, 82, 300, 165, 256, 38, 130, 340, 222)

_STYLE = """
.tw-diagram { --tw-ink: #1c2430; --tw-faint: #5d6675; --tw-paper: #fbfaf7; --tw-panel: #f1eee6; --tw-card: #ffffff;
  --tw-line: #d9d4c7; --tw-head: #e7e2d5; --tw-field: #9a4f1c; --tw-chip: 90%; --tw-chip-ink: 24%; }
@media (prefers-color-scheme: dark) { .tw-diagram { --tw-ink: #e8e6e1; --tw-faint: #a3abb8; --tw-paper: #14171c;
  --tw-panel: #1b1f26; --tw-card: #232831; --tw-line: #3a4150; --tw-head: #2d333e; --tw-field: #e0935c;
  --tw-chip: 24%; --tw-chip-ink: 84%; } }
.tw-diagram text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  fill: var(--tw-ink); white-space: pre; }
.tw-diagram .title { font: 700 15px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
.tw-diagram .chip-name { font: 700 12px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
.tw-diagram .faint { fill: var(--tw-faint); }
.tw-diagram .field { fill: var(--tw-field); }
.tw-diagram .paper { fill: var(--tw-paper); }
.tw-diagram .panel { fill: var(--tw-panel); stroke: var(--tw-line); }
.tw-diagram .card { fill: var(--tw-card); stroke: var(--tw-line); }
.tw-diagram .head { fill: var(--tw-head); }
"""


@dataclass(frozen=True, slots=True)
class _Card:
    """A partition with its size, before it has a place."""

    key_lines: tuple[str, ...]
    rows: tuple["_Row", ...]
    width: int
    chip: float
    """The width of the column of entity names."""

    @property
    def head(self) -> int:
        return len(self.key_lines) * _LINE + 12

    @property
    def height(self) -> int:
        return self.head + sum(row.height for row in self.rows) + 8


@dataclass(frozen=True, slots=True)
class _Row:
    entity: str
    sort_lines: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def height(self) -> int:
        return max(_CHIP, (len(self.sort_lines) + len(self.notes)) * _LINE) + 8


def svg(design: Design, table: Table) -> str:
    """The diagram of a table."""
    entities = [entity.__name__ for entity in design.entities_of(table)]
    drawing = _Drawing({name: _HUES[place % len(_HUES)] for place, name in enumerate(entities)})
    shown = places(design, table)
    width, height = drawing.place(shown)
    title = f"Table {table.name}"
    indexes = len(table.indexes) + len(table.vector_indexes)
    summary = (
        f"The partitions of the table and of {indexes} indexes, with the entities in each: "
        + ", ".join(entities)
        + "."
    )
    name = re.sub(r"[^a-z0-9]+", "-", table.name.lower()).strip("-")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tw-diagram" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(summary)}</desc>'
        f"<style>{_STYLE}</style>{''.join(drawing.parts)}</svg>"
    )


class _Drawing:
    """Places panels in rows, and draws them."""

    def __init__(self, hues: dict[str, int]) -> None:
        self.parts: list[str] = []
        self._hues = hues

    def place(self, shown: Sequence[DiagramPlace]) -> tuple[int, int]:
        """Draw all panels; return the width and the height of the picture."""
        rows = list(_shelves(shown))
        widest = max(_row_width(row, _CARD) for row in rows)
        drawn: list[str] = []
        top = _GAP
        for row in rows:
            # Rows with several panels have more borders; their cards are narrower, so that all rows are aligned.
            is_full = sum(map(_columns_of, row)) == _COLUMNS
            card = _CARD - (_row_width(row, _CARD) - _FULL) // _COLUMNS if is_full else _CARD
            widths = [_panel_width(_columns_of(panel), card) for panel in row]
            if is_full:  # the last panel takes what is left by rounding
                widths[-1] += _FULL - _row_width(row, card)
            height = max(
                self._panel(panel, (0, 0, width, 0), card, [])
                for panel, width in zip(row, widths, strict=True)
            )
            left = _GAP
            for shown_place, width in zip(row, widths, strict=True):
                self._panel(shown_place, (left, top, width, height), card, drawn)
                left += width + _GAP
            top += height + _GAP
        widest = min(widest, _FULL) + 2 * _GAP
        self.parts = [f'<rect class="paper" x="0" y="0" width="{widest}" height="{top}"/>', *drawn]
        return widest, top

    def _panel(
        self, shown: DiagramPlace, place: tuple[int, int, int, int], card_width: int, drawn: list[str]
    ) -> int:
        """Draw the table or an index; return the height that it needs."""
        left, top, width, least_height = place
        columns = _columns_of(shown)
        cards = [_card(partition, card_width) for partition in shown.partitions]
        notes = wrapped(f"{shown.keys} ({shown.note})", _letters(width - 2 * _PAD))
        bottoms = [top + _HEAD + len(notes) * _LINE] * columns
        inside: list[str] = []
        for card in cards:
            column = bottoms.index(min(bottoms))
            inside += self._draw(card, left + _PAD + column * (card.width + _GAP), bottoms[column])
            bottoms[column] += card.height + _GAP
        height = max(bottoms) - top
        drawn.append(_rect("panel", left, top, width, max(height, least_height), 10))
        drawn.append(_text("title", left + _PAD, top + 24, _cropped(shown.name, width - 2 * _PAD, _TITLE)))
        for number, line in enumerate(notes):
            drawn.append(_text("faint", left + _PAD, top + 44 + number * _LINE, line))
        drawn += inside
        return height

    def _draw(self, card: _Card, left: int, top: int) -> Iterator[str]:
        yield _rect("card", left, top, card.width, card.height, 8)
        yield _rect("head", left + 1, top + 1, card.width - 2, card.head - 2, 7)
        for place, line in enumerate(card.key_lines):
            yield _template(left + 12, top + 20 + place * _LINE, line)
        row_top = top + card.head + 6
        for row in card.rows:
            yield from self._row(row, left, row_top, card.chip)
            row_top += row.height

    def _row(self, row: _Row, left: int, top: int, chip: float) -> Iterator[str]:
        hue = self._hues.get(row.entity, 0)
        name = _cropped(row.entity, chip - 14)
        width = sans_width(name, _SIZE) + 14
        yield (
            f'<rect class="chip" x="{left + 8}" y="{top}" width="{width:.1f}" height="{_CHIP}" rx="6" '
            f'style="fill: hsl({hue} 60% var(--tw-chip))"/>'
        )
        style = f' style="fill: hsl({hue} 60% var(--tw-chip-ink))"'
        yield _text("chip-name", left + 15, top + 14, name, style)
        place = 0
        for line in row.sort_lines:
            yield _template(left + 18 + chip, top + 14 + place * _LINE, line)
            place += 1
        for line in row.notes:
            yield _text("faint", left + 18 + chip, top + 14 + place * _LINE, line)
            place += 1


def _shelves(shown: Iterable[DiagramPlace]) -> Iterator[list[DiagramPlace]]:
    """The panels in rows, as many side by side as there is room for."""
    row: list[DiagramPlace] = []
    used = 0
    for line in shown:
        columns = _columns_of(line)
        if row and used + columns > _COLUMNS:
            yield row
            row, used = [], 0
        row.append(line)
        used += columns
    if row:
        yield row


def _columns_of(place: DiagramPlace) -> int:
    return max(1, min(_COLUMNS, len(place.partitions)))


def _panel_width(columns: int, card: int) -> int:
    return columns * card + (columns - 1) * _GAP + 2 * _PAD


def _row_width(row: Sequence[DiagramPlace], card: int) -> int:
    return sum(_panel_width(_columns_of(place), card) for place in row) + (len(row) - 1) * _GAP


def _letters(width: float) -> int:
    """How many letters of a key template fit."""
    return int(width // mono_width("x", _SIZE))


def _card(partition: DiagramPartition, width: int) -> _Card:
    chip = min(_CHIP_MOST, max(sans_width(member.entity, _SIZE) for member in partition.members) + 14)
    most = _letters(width - 30 - chip)
    rows = tuple(
        _Row(
            member.entity,
            tuple(wrapped(member.sort_key, most)) if member.sort_key else (),
            tuple(wrapped(member.note, most)) if member.note else (),
        )
        for member in partition.members
    )
    return _Card(tuple(wrapped(partition.key, _letters(width - 24))), rows, width, chip)


def _cropped(name: str, most: float, size: int = _SIZE) -> str:
    if sans_width(name, size) <= most + 0.01:
        return name
    while sans_width(name + "…", size) > most:
        name = name[:-1]
    return name + "…"


def _rect(kind: str, left: float, top: float, width: float, height: float, radius: int) -> str:
    return f'<rect class="{kind}" x="{left}" y="{top}" width="{width}" height="{height}" rx="{radius}"/>'


def _text(kind: str, left: float, top: float, text: str, extra: str = "") -> str:
    return f'<text class="{kind}" x="{left:.1f}" y="{top}"{extra}>{escape(text)}</text>'


def _template(left: float, top: float, line: str) -> str:
    """A line of a key template, with its fields in another colour."""
    parts = re.split(r"(\{[^}]*\}?)", line)
    spans = "".join(
        f'<tspan class="field">{escape(part)}</tspan>' if part.startswith("{") else escape(part)
        for part in parts
    )
    return f'<text x="{left:.1f}" y="{top}">{spans}</text>'
