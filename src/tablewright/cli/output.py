"""Output: lines, colours, tables and JSON on standard output.

Colours are for terminals; `NO_COLOR` turns them off. A table that goes to a pipe or a file is plain text: no lines, no
colours, nothing cut off. rich is imported when a colour or a table is printed, which takes longer than `--help` does.
"""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tablewright.errors import UsageError

if TYPE_CHECKING:
    from rich.text import Text


import re
from collections.abc import Callable, Iterator
from typing import TypeVar

_UNLIMITED = 100_000
"""Columns of a table that is not on a terminal."""


def print_line(text: str) -> None:
    """Print a line and flush it, so that a reading program gets it at once."""
    print(text, flush=True)


def print_json(value: Any) -> None:
    """Print a value as JSON; boto3's datetimes become text."""
    print_line(json.dumps(_jsonable(value), indent=2))


def write_file(path: str, text: str) -> None:
    """Write a file that an option names; raise `UsageError` if that is not possible."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def _jsonable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _jsonable(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_jsonable(member) for member in value]
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


def format_time(time: float | datetime) -> str:
    """Format a time of a reply: seconds from the embedded engine, a datetime from boto3."""
    parsed = time if isinstance(time, datetime) else datetime.fromtimestamp(time, UTC)
    return parsed.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def format_bytes(size: int) -> str:
    """A number of bytes in the largest unit that fits.

    >>> format_bytes(512), format_bytes(8192), format_bytes(52_428_800)
    ('512 bytes', '8.2 kB', '52.4 MB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"


def count(number: int, noun: str) -> str:
    """Format a number with its noun.

    >>> count(1, "step"), count(2000, "step"), count(3, "index")
    ('1 step', '2,000 steps', '3 indexes')
    """
    plural = f"{noun}es" if noun.endswith("x") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def bold(text: str) -> str:
    """Emphasise a text."""
    return styled(text, "bold")


def red(text: str) -> str:
    """Mark an error."""
    return styled(text, "red")


def green(text: str) -> str:
    """Mark a success."""
    return styled(text, "green")


def yellow(text: str) -> str:
    """Mark a warning."""
    return styled(text, "yellow")


def faint(text: str) -> str:
    """Mark a detail."""
    return styled(text, "dim")


def styled(text: str, style: str) -> str:
    """Give a text a style of rich, if standard output is a terminal that shows colours."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    from rich.color import ColorSystem
    from rich.style import Style

    return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


class Cell(NamedTuple):
    """A cell with a style of rich."""

    text: str
    style: str = ""


class Column(NamedTuple):
    """The head of a column; numbers are aligned to the right."""

    name: str
    align: Literal["left", "right"] = "left"
    is_cut: bool = False
    """Whether the column is cut off if the terminal is too narrow. In a table without such a column, all may wrap."""


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[Cell | str]]) -> None:
    """Print a table in columns."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    is_terminal = sys.stdout.isatty()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    has_cut = any(column.is_cut for column in columns)
    for column in columns:
        # rich narrows the columns that may wrap.
        table.add_column(
            Text(column.name, no_wrap=True),
            justify=column.align,
            overflow="fold",
            no_wrap=has_cut != column.is_cut,
        )
    for row in rows:
        table.add_row(*(_text(cell, column) for cell, column in zip(row, columns, strict=True)))
    console = Console(width=None if is_terminal else _UNLIMITED, highlight=False)
    with console.capture() as capture:
        console.print(table, crop=False)
    print_line("\n".join(line.rstrip() for line in capture.get().splitlines()))


def _text(cell: Cell | str, column: Column) -> "Text":
    from rich.text import Text

    shown = cell if isinstance(cell, Cell) else Cell(cell)
    cut: dict[str, Any] = {"no_wrap": True, "overflow": "ellipsis"} if column.is_cut else {}
    return Text(shown.text, shown.style, **cut)


T = TypeVar("T")

EXAMPLES = 3
LISTED = 10
"""Groups of up to so many messages are listed one by one."""
_VALUES = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\d+(?:[.,]\d+)*")


def grouped_lines(
    things: Iterable[T],
    message: Callable[[T], str],
    name: Callable[[T], str],
    line: Callable[[T], str],
    noun: str = "item",
) -> Iterator[str]:
    """Return the lines to print, the largest group first.

    Things are of one group when their messages differ only in values. A small group has the `line` of each thing, a
    large one a line with its count, the message, and the names of three.

    >>> list(grouped_lines(range(8000), lambda n: f"{n} is odd", str, str))
    ['8,000 items: ... is odd; for example 0, 1, 2']
    """
    groups: dict[str, list[T]] = {}
    for thing in things:
        groups.setdefault(_VALUES.sub("...", message(thing)), []).append(thing)
    for summary, members in sorted(groups.items(), key=lambda group: -len(group[1])):
        if len(members) <= LISTED:
            yield from map(line, members)
            continue
        messages = {message(member) for member in members}
        shown = messages.pop() if len(messages) == 1 else summary
        examples = ", ".join(map(name, members[:EXAMPLES]))
        yield f"{len(members):,} {noun}s: {shown}; for example {examples}"
