"""The terminal: lines, tables and progress of the commands, their log, and the signals that stop them.

Colours are for terminals; `NO_COLOR` turns them off. A table that goes to a pipe or a file is plain text: no colours,
nothing cut off. Progress is on standard error: a bar on a terminal, elsewhere a plain line every ten seconds.
"""

import logging
import os
import signal
import sys
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from types import TracebackType
from typing import Protocol

from rich.console import Console as Screen
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.style import Style
from rich.table import Column, Table
from rich.text import Text

LINE_INTERVAL = 10.0
"""Seconds between two lines of progress where there is no terminal."""
_UNLIMITED = 100_000
"""Columns of a table that is not on a terminal."""
_SIGNAL_INTERVAL = 0.2
"""Seconds between two looks at the received signals."""


def print_line(text: str) -> None:
    """Print a line and flush it, so that a reading program gets it at once."""
    print(text, flush=True)


def styled(text: str, style: str) -> str:
    """Give a text a style of rich, if standard output is a terminal that shows colours."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return Style.parse(style).render(text)


def print_table(columns: Sequence[Column | str], rows: Iterable[Sequence[Text | str]]) -> None:
    """Print a table; on a terminal that is too narrow, columns with `no_wrap` are cut off."""
    # A column of Rich keeps the cells of its table: each table gets columns of its own.
    own = (column.copy() if isinstance(column, Column) else column for column in columns)
    table = Table(*own, box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for row in rows:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    screen = Screen(width=None if sys.stdout.isatty() else _UNLIMITED, highlight=False)
    with screen.capture() as capture:
        screen.print(table, crop=False)
    print_line("\n".join(line.rstrip() for line in capture.get().splitlines()))


class Advance(Protocol):
    """Counts more as done; `detail` says what is being done."""

    def __call__(self, detail: str, count: int = 1) -> None:
        """Count more as done."""


@contextmanager
def progress(total: int, unit: str) -> Iterator[Advance]:
    """Show how far a task is, until the block ends."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield _lines(total, unit)
        return
    detail = TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1))
    columns = (TextColumn(unit), BarColumn(15), MofNCompleteColumn(), detail)
    with Progress(*columns, console=Screen(stderr=True), transient=True, expand=True) as bar:
        task = bar.add_task("", total=total)

        def advance(detail: str, count: int = 1) -> None:
            bar.update(task, description=detail, advance=count)

        yield advance


def _lines(total: int, unit: str) -> Advance:
    done, printed = 0, time.monotonic()

    def advance(detail: str, count: int = 1) -> None:
        nonlocal done, printed
        done += count
        if time.monotonic() - printed >= LINE_INTERVAL:
            print(f"{unit}: {done}/{total}  {detail}", file=sys.stderr, flush=True)
            printed = time.monotonic()

    return advance


class _ContentFreeFormatter(logging.Formatter):
    """Shows the traceback and the type of an error, but not its message: the message may quote an item."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line."""
        record = copy(record)
        record.exc_text = None  # another formatter may have kept the full text there
        return super().format(record)

    def formatException(
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None],
    ) -> str:
        """Return the traceback and the type of the error."""
        kind, _, frames = ei
        return "".join(traceback.format_tb(frames)) + (kind.__name__ if kind else "")


def log_to_stderr(*, verbose: bool = False) -> None:
    """Send the logs of the systems and of Tablewright to standard error; with `verbose`, also each request."""
    sink = logging.StreamHandler(sys.stderr)
    sink.setFormatter(_ContentFreeFormatter("%(asctime)s %(message)s"))
    for name in ("tablewright", "tablewright_systems"):
        logger = logging.getLogger(name)
        logger.addHandler(sink)
        logger.propagate = False
    logging.getLogger("tablewright.access").setLevel(logging.INFO if verbose else logging.WARNING)


class StopSignals:
    """Receives SIGINT and SIGTERM from its construction on."""

    def __init__(self) -> None:
        self._received: list[int] = []
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: self._received.append(number))

    def wait(self) -> None:
        """Wait for a signal."""
        # Python runs the handler when this thread wakes up: one that waits for a lock may never do so.
        while not self._received:
            time.sleep(_SIGNAL_INTERVAL)
