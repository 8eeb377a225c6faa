"""Markdown: the documentation of a design, to store with its code."""

from collections.abc import Iterator

from tablewright.design.designs import Design
from tablewright.generate.design_document import Chapter, Grid, document
from tablewright.generate.diagrams.mermaid import mermaid
from tablewright.generate.example_partitions import ItemCollection


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
    for collection in chapter.collections:
        yield from _collection(collection)
    for part in chapter.parts:
        yield from _chapter(part, level + 1, design)


def _grid(grid: Grid) -> str:
    rule = "|".join("---" for _ in grid.head)
    rows = [
        "| " + " | ".join(_cell(text, column) for column, text in enumerate(row)) + " |" for row in grid.rows
    ]
    return "\n".join(["| " + " | ".join(grid.head) + " |", f"|{rule}|", *rows])


def _collection(collection: ItemCollection) -> Iterator[str]:
    """A partition: its key above a table with one row for each item."""
    where = "Table" if collection.place == "table" else f"Index {_safe(collection.place)}"
    yield f"**{where}**, {_safe(collection.partition_attribute)} = `{collection.partition_key}`"
    head = (collection.sort_attribute or "sort key", "type", "attributes")
    rows = [
        (row.sort_key, row.type, ", ".join(f"{name}: {text}" for name, text in row.attributes))
        for row in collection.rows
    ]
    yield _grid(Grid(head, tuple(rows)))
    if collection.remark:
        yield collection.remark


def _cell(text: str, column: int) -> str:
    escaped = _safe(text).replace("|", "\\|")
    return f"`{text}`" if column == 0 and text and "|" not in text and "`" not in text else escaped


def _safe(text: str) -> str:
    """Text with all markup escaped."""
    for sign in ("\\", "*", "_", "<", ">"):
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")
