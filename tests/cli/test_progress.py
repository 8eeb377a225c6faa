"""Progress: a bar that fits the terminal, and lines every few seconds elsewhere. The clock is injected."""

import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from fcntl import ioctl

import pytest

from tablewright import embedded
from tablewright.cli.progress import LAST_PAUSE, LINE_INTERVAL, ItemProgress, Progress, wait_for
from tests.cli.backup_locations import create


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        """Everything that was drawn, without the control sequences."""
        return re.sub(r"\033\[[0-9;?]*[a-zA-Z]", "", self.getvalue().replace("\r", "\n")).splitlines()


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_quick_command_prints_no_line(clock: Clock) -> None:
    stream = io.StringIO()
    with Progress(10, "items", stream=stream, clock=clock) as progress:
        for _ in range(10):
            progress.advance()
            clock.time += 0.4
    assert stream.getvalue() == ""


def test_a_line_every_few_seconds(clock: Clock) -> None:
    stream = io.StringIO()
    with Progress(4_000, "items", stream=stream, clock=clock) as progress:
        for _ in range(20):
            clock.time += 1
            progress.advance("changing", 200)
    assert stream.getvalue().splitlines() == [
        "items: 2,000/4,000  200/s  10 s left  changing",
        "items: 4,000/4,000  200/s  changing",
    ]


def test_waiting_is_reported_without_a_rate(clock: Clock) -> None:
    stream = io.StringIO()
    with Progress(1, "table exported", stream=stream, clock=clock) as progress:
        clock.time += LINE_INTERVAL
        progress.advance("Users 5 s", count=0)
    assert stream.getvalue() == "table exported: 0/1  Users 5 s\n"


def test_the_total_grows_and_the_count_never_decreases(clock: Clock) -> None:
    progress = Progress(4_000, "items", stream=io.StringIO(), clock=clock)
    reached = []
    for seen in (1_000, 3_000, 2_000, 4_400, 4_200):
        progress.reach(seen)
        reached.append((progress.done, progress.total))
    assert reached == [(1_000, 4_000), (3_000, 4_000), (3_000, 4_000), (4_400, 4_400), (4_400, 4_400)]


def test_what_was_done_before_does_not_count_for_the_rate(clock: Clock) -> None:
    progress = Progress(0, "items", stream=io.StringIO(), clock=clock)
    progress.begin(1_000, "items", done=500)
    clock.time += 10
    progress.reach(600)
    assert progress.counts == "600/1,000  10/s  40 s left"


@pytest.mark.parametrize("columns", [20, 40, 80, 110, 200])
def test_the_bar_fits_into_a_line(columns: int, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with Progress(4_000, "items of things-dev", stream=stream, clock=clock) as progress:
        for seen in range(0, 4_400, 400):
            clock.time += 1
            progress.reach(seen, "prices: 12 changed, 3 rejected, and other details " * 4)
    drawn = [line for line in stream.lines() if line.strip()]
    assert drawn
    assert max(map(len, drawn)) <= columns
    if columns >= 80:
        assert drawn[-1].startswith("items of things-dev")
        assert "4,000/4,000" in drawn[-1]


def test_a_terminal_without_control_sequences_gets_lines(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    with Progress(2, "items", stream=stream, clock=clock) as progress:
        clock.time += LINE_INTERVAL
        progress.advance()
    assert stream.getvalue() == "items: 1/2  0.1/s  10 s left\n"


def test_a_command_in_a_terminal_stays_within_its_width() -> None:
    controller, terminal = pty.openpty()
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    environment = {**os.environ, "TERM": "xterm"} | {"COLUMNS": "60", "LINES": "24"}
    script = (
        "from tablewright.cli.output import Column, print_table\n"
        "from tablewright.cli.progress import Progress\n"
        "with Progress(41, 'checks') as progress: progress.advance('x' * 100)\n"
        "columns = (Column('NO'), Column('TITLE', is_cut=True), Column('RESULT'))\n"
        "print_table(columns, [('A1', 'y' * 100, 'ok')])"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    ) as process:
        os.close(terminal)
        drawn = Terminal(_read_to_end(controller)).lines()
    os.close(controller)
    assert process.returncode == 0
    assert any(re.search(r"^checks .*/41", line) for line in drawn)
    assert any(line.startswith("A1 ") and line.rstrip().endswith("ok") for line in drawn)
    assert max(map(len, drawn)) <= 60


def _read_to_end(controller: int) -> str:
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(controller, 65536)
        except OSError:  # Linux: the terminal was closed
            part = b""
        if not part:
            return b"".join(parts).decode()
        parts.append(part)


def test_rich_is_imported_only_for_a_bar() -> None:
    script = (
        "import io, sys\nfrom tablewright.cli.progress import Progress\n"
        "with Progress(1, 'items', stream=io.StringIO()) as progress: progress.advance()\n"
        "assert not any(name.partition('.')[0] == 'rich' for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_each_pass_over_a_table_begins_at_zero(clock: Clock) -> None:
    stream = io.StringIO()
    with embedded() as db, ItemProgress(db, stream=stream, clock=clock) as progress:
        for name in ("Orders", "Users"):
            create(db, name)
        for name, seen in (("Orders", 0), ("Orders", 30), ("Orders", 0), ("Orders", 20), ("Users", 7)):
            clock.time += LINE_INTERVAL
            progress.show(name, seen)
    counts = [line.partition("  ")[0] for line in stream.getvalue().splitlines()]
    assert counts[:5] == [
        "items of Orders: 0/0",
        "items of Orders: 30/30",
        "items of Orders: 0/0",
        "items of Orders: 20/20",
        "items of Users: 7/7",
    ]


def test_reports_of_threads_that_arrive_late_are_ignored(clock: Clock) -> None:
    stream = io.StringIO()
    with embedded() as db, ItemProgress(db, stream=stream, clock=clock) as progress:
        create(db, "Users")
        progress.show("Users", 0)
        threads = [threading.Thread(target=progress.show, args=("Users", seen)) for seen in range(100, 0, -1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        clock.time += LINE_INTERVAL
        progress.show("Users", 50)
    assert stream.getvalue() == "items of Users: 100/100  10/s\n"


def test_events_in_json(clock: Clock) -> None:
    stream = io.StringIO()
    with embedded() as db:
        create(db, "Music")
        with ItemProgress(db, stream=stream, clock=clock, as_json=True) as progress:
            progress.show("Music", 0, "ignored", {"changed": 0})
            for seen in range(100, 2_500, 100):
                clock.time += 1
                progress.show("Music", seen, facts={"changed": seen // 2})
    events = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert events[0] == {
        "event": "progress",
        "done": 0,
        "total": 0,
        "per_second": None,
        "seconds_left": None,
        "table": "Music",
        "changed": 0,
    }
    assert [event["done"] for event in events] == [0, 1_000, 2_000, 2_400]
    assert (events[-1]["per_second"], events[-1]["changed"]) == (100.0, 1_200)


def test_a_note_follows_the_counted_items(clock: Clock) -> None:
    stream = io.StringIO()
    with embedded() as db, ItemProgress(db, stream=stream, clock=clock) as progress:
        create(db, "Users")
        progress.show("Users", 7)
        clock.time += LINE_INTERVAL
        progress.note("comparing")
    assert "comparing" in stream.getvalue()


def test_pauses_grow_until_the_job_has_ended() -> None:
    pauses: list[float] = []
    replies = iter([{"status": "running"}] * 20 + [{"status": "ended"}])
    with Progress(1, "job", stream=io.StringIO(), clock=lambda: sum(pauses)) as progress:
        reply = wait_for(
            lambda: next(replies),
            lambda reply: reply["status"] == "running",
            progress,
            lambda reply: reply["status"],
            sleep=pauses.append,
            clock=lambda: sum(pauses),
        )
        assert progress.detail == f"running {sum(pauses[:-1]):.0f} s"
    assert reply == {"status": "ended"}
    assert pauses == sorted(pauses)
    assert max(pauses) == LAST_PAUSE
