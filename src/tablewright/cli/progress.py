"""Progress of long commands, on standard error.

On a terminal it is a bar that fits into one line of it. Elsewhere, such as in the log of a CI job, it is one plain line
every ten seconds; a command that is done sooner prints none. For programs it is JSON: one event for each line.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from tablewright.connections import Connection


LINE_INTERVAL = 10.0
"""Seconds between two lines where there is no terminal."""
_MEASURABLE = 1.0
"""Seconds before a rate means something."""
_BAR_WIDTH = 30

Clock = Callable[[], float]


class Progress:
    """How far a task is. The count never decreases, and the total grows when it was estimated too low.

    >>> with Progress(2, "tables") as progress:
    ...     progress.advance("Users")
    """

    def __init__(
        self,
        total: int,
        unit: str,
        *,
        stream: TextIO | None = None,
        clock: Clock = time.monotonic,
        as_json: bool = False,
    ) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._as_json = as_json
        self._display: _Bar | _Lines | _JsonLines | None = None
        self.begin(total, unit)

    def begin(self, total: int, unit: str, done: int = 0) -> None:
        """Count something else; `done` was done before, and does not count for the rate."""
        self.total, self.unit = max(total, done), unit
        self.done, self.detail = done, ""
        self.facts: dict[str, Any] = {}
        """What is known besides the counts, for events in JSON."""
        self._start = (self._clock(), done)

    def advance(self, detail: str = "", count: int = 1) -> None:
        """Count more as done; `detail` says what is being done."""
        self.reach(self.done + count, detail)

    def reach(self, done: int, detail: str = "", facts: dict[str, Any] | None = None) -> None:
        """Count so many as done; a lower number than before changes nothing."""
        self.done = max(done, self.done)
        self.total = max(self.total, self.done)
        self.detail, self.facts = detail, facts or {}
        if self._display is not None:
            self._display.show(self)

    @property
    def rate(self) -> float | None:
        """What is done per second, once it can be measured."""
        began, done = self._start
        elapsed = self._clock() - began
        return (self.done - done) / elapsed if elapsed >= _MEASURABLE and self.done > done else None

    @property
    def seconds_left(self) -> float | None:
        """The time left at this rate, once the rate can be measured."""
        rate = self.rate
        return None if rate is None else (self.total - self.done) / rate

    @property
    def counts(self) -> str:
        """The count, the rate and the time left."""
        parts = [f"{self.done:,}/{self.total:,}"]
        if (rate := self.rate) is not None:
            parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s")
            if self.done < self.total and (left := self.seconds_left) is not None:
                parts.append(f"{_duration(left)} left")
        return "  ".join(parts)

    @property
    def event(self) -> dict[str, Any]:
        """The progress in JSON types."""
        measured = {"per_second": self.rate, "seconds_left": self.seconds_left}
        rounded = {name: None if number is None else round(number, 1) for name, number in measured.items()}
        return {"event": "progress", "done": self.done, "total": self.total, **rounded, **self.facts}

    def __enter__(self) -> Self:
        if self._as_json:
            self._display = _JsonLines(self._stream, self._clock)
        elif self._stream.isatty() and os.environ.get("TERM") != "dumb":
            self._display = _Bar(self._stream)
        else:
            self._display = _Lines(self._stream, self._clock)
        return self

    def __exit__(self, *raised: object) -> None:
        if self._display is not None:
            self._display.stop(self)
            self._display = None


class ItemProgress:
    """Progress of passes over whole tables; safe to call from several threads."""

    def __init__(
        self,
        connection: "Connection",
        *,
        stream: TextIO | None = None,
        clock: Clock = time.monotonic,
        as_json: bool = False,
    ) -> None:
        self._connection = connection
        self._progress = Progress(0, "items", stream=stream, clock=clock, as_json=as_json)
        self._table = ""
        self._lock = threading.Lock()

    def show(self, table: str, seen: int, detail: str = "", facts: dict[str, Any] | None = None) -> None:
        """Report how many items of a table a pass has seen; only the first report of a pass may be 0."""
        with self._lock:
            if table != self._table or (seen == 0 and self._progress.done):
                described = self._connection.call("DescribeTable", {"TableName": table})["Table"]
                self._progress.begin(described.get("ItemCount", 0), f"items of {table}", seen)
                self._table = table
            self._progress.reach(seen, detail, None if facts is None else {"table": table, **facts})

    def note(self, detail: str) -> None:
        """Say what is done after the items were counted."""
        with self._lock:
            self._progress.advance(detail, 0)

    def __enter__(self) -> Self:
        self._progress.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._progress.__exit__(*raised)


class _Lines:
    """A plain line every few seconds, and one at the end if there were any."""

    def __init__(self, stream: TextIO, clock: Clock) -> None:
        self._stream = stream
        self._clock = clock
        self._printed = clock()
        self._last = ""

    def show(self, progress: Progress) -> None:
        if self._clock() - self._printed >= LINE_INTERVAL:
            self._print(progress)

    def stop(self, progress: Progress) -> None:
        if self._last:
            self._print(progress)

    def _print(self, progress: Progress) -> None:
        line = f"{progress.unit}: {progress.counts}  {progress.detail}".rstrip()
        if line != self._last:
            print(line, file=self._stream, flush=True)
        self._printed, self._last = self._clock(), line


class _JsonLines:
    """An event every few seconds, in one line of JSON, and one at the end."""

    def __init__(self, stream: TextIO, clock: Clock) -> None:
        self._stream = stream
        self._clock = clock
        self._printed: float | None = None

    def show(self, progress: Progress) -> None:
        if self._printed is None or self._clock() - self._printed >= LINE_INTERVAL:
            self._print(progress)

    def stop(self, progress: Progress) -> None:
        if self._printed is not None:
            self._print(progress)

    def _print(self, progress: Progress) -> None:
        print(json.dumps(progress.event), file=self._stream, flush=True)
        self._printed = self._clock()


class _Bar:
    """A bar of rich, which is erased at the end. It starts with the first report: a quick command shows none."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._progress: RichProgress | None = None

    def show(self, progress: Progress) -> None:
        values: dict[str, Any] = {
            "description": progress.unit,
            "completed": progress.done,
            "total": progress.total,
            "counts": progress.counts,
            "detail": progress.detail,
        }
        if self._progress is None:
            self._progress = _rich_progress(self._stream)
            self._task = self._progress.add_task(**values)
            self._progress.start()
        else:
            self._progress.update(self._task, **values)

    def stop(self, progress: Progress) -> None:
        if self._progress is not None:
            self._progress.stop()


def _rich_progress(stream: TextIO) -> "RichProgress":
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as RichProgress
    from rich.table import Column

    console = Console(file=stream, force_terminal=True)
    # The unit and the detail are cut off where the line is too narrow; the bar shrinks with the terminal.
    return RichProgress(
        TextColumn(
            "{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis")
        ),
        BarColumn(bar_width=min(_BAR_WIDTH, console.width // 4)),
        TextColumn("{task.fields[counts]}", markup=False, table_column=Column(no_wrap=True)),
        TextColumn(
            "{task.fields[detail]}",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
        ),
        console=console,
        transient=True,
        expand=True,
    )


def _duration(seconds: float) -> str:
    """Format a duration.

    >>> _duration(12.3), _duration(185), _duration(3723)
    ('12 s', '3:05', '1:02:03')
    """
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


# Seconds between two polls: a local server is quick, AWS takes minutes.
FIRST_PAUSE, LAST_PAUSE = 0.05, 5.0


def wait_for(
    poll: Callable[[], dict[str, Any]],
    is_running: Callable[[dict[str, Any]], bool],
    progress: Progress,
    describe: Callable[[dict[str, Any]], str] = lambda reply: "",
    *,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, Any]:
    """Poll until the job has ended, and return the last reply. The progress shows the elapsed time."""
    start, pause = clock(), FIRST_PAUSE
    while True:
        reply = poll()
        if not is_running(reply):
            return reply
        progress.advance(f"{describe(reply)} {clock() - start:.0f} s".lstrip(), count=0)
        sleep(pause)
        pause = min(pause * 1.5, LAST_PAUSE)
