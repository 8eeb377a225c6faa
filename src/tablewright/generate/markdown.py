"""Markdown: the documentation of a design, to store with its code."""

from collections.abc import Iterator

from tablewright.design.designs import Design
from tablewright.generate.design_document import Chapter, Grid, document
from tablewright.generate.diagrams.mermaid import mermaid


def markdown(design: Design) -> str:
    """The design document as Markdown."""
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
        "| " + " | ".join(_cell(text, column) for column, text in enumerate(row)) + " |" for row in grid.rows
    ]
    return "\n".join(["| " + " | ".join(grid.head) + " |", f"|{rule}|", *rows])


def _cell(text: str, column: int) -> str:
    escaped = _safe(text).replace("|", "\\|")
    return f"`{text}`" if column == 0 and text and "|" not in text and "`" not in text else escaped


def _safe(text: str) -> str:
    """Text with all markup escaped."""
    for sign in ("\\", "*", "_", "<", ">"):
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")
