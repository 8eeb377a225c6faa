"""Markdown: a design's documentation, to be read beside its code."""

from collections.abc import Iterator

from tablewright.design.designs import Design
from tablewright.generate.design_document import Chapter, Grid, document
from tablewright.generate.diagrams import mermaid


def markdown(design: Design) -> str:
    """The whole document, as Markdown."""
    return "\n\n".join(_chapter(document(design), 1, design)) + "\n"


def _chapter(chapter: Chapter, level: int, design: Design) -> Iterator[str]:
    yield f"{'#' * level} {_safe(chapter.title)}"
    yield from map(_safe, chapter.paragraphs)
    if chapter.figure is not None:
        yield f"```mermaid\n{mermaid(design, [chapter.figure])}```"
    for grid in chapter.grids:
        yield _grid(grid)
    for part in chapter.parts:
        yield from _chapter(part, level + 1, design)


def _grid(grid: Grid) -> str:
    rule = "|".join("---" for _ in grid.head)
    rows = [
        "| " + " | ".join(_cell(text, place) for place, text in enumerate(row)) + " |" for row in grid.rows
    ]
    return "\n".join(["| " + " | ".join(grid.head) + " |", f"|{rule}|", *rows])


def _cell(text: str, place: int) -> str:
    spelt = _safe(text).replace("|", "\\|")
    return f"`{text}`" if place == 0 and text and "|" not in text and "`" not in text else spelt


def _safe(text: str) -> str:
    """Text in which nothing is markup."""
    for sign in ("\\", "*", "_", "<", ">"):
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")
