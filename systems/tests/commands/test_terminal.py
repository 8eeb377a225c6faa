"""Tables, progress and the log."""

import io
import logging
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from fcntl import ioctl

import pytest
from rich.table import Column
from rich.text import Text
from tablewright_systems.commands.terminal import log_to_stderr, print_table, progress

from systems.tests.commands.runner import COMMAND


def test_a_table_in_a_pipe_is_plain_and_complete(capsys: pytest.CaptureFixture[str]) -> None:
    title = Text("x" * 300, "green", no_wrap=True, overflow="ellipsis")
    print_table((Column("NO"), "TITLE", Column("ITEMS", justify="right")), [("A1", title, "7")])
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["NO", "TITLE", "ITEMS"]
    assert row == f"A1  {'x' * 300}      7"


def test_tables_share_their_columns(capsys: pytest.CaptureFixture[str]) -> None:
    columns = (Column("NO"), Column("PATTERN"))
    print_table(columns, [("A1", "Get a user"), ("A2", "List users")])
    print_table(columns, [("A1", "Get a board")])
    assert capsys.readouterr().out.splitlines()[-2:] == ["NO  PATTERN", "A1  Get a board"]


def test_progress_is_a_line_every_few_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([0.0, 4.0, 10.0, 10.0, 12.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(times))
    with progress(3, "systems") as advance:
        for name in ("boards", "listbackup", "student_hub"):
            advance(name)
    assert capsys.readouterr().err == "systems: 2/3  listbackup\n"


def test_progress_is_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    with open(theirs, "w") as stream:
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(sys, "stderr", stream)
        with progress(2, "checks") as advance:
            advance("boards A1")
        stream.flush()
        drawn = ""
        while "1/2" not in drawn and select.select([ours], [], [], 30)[0]:  # a terminal gives it in parts
            drawn += os.read(ours, 100_000).decode()
    os.close(ours)
    assert "checks" in drawn
    assert "1/2" in drawn
    assert "boards A1" in drawn


def test_a_command_stays_within_the_width_of_the_terminal() -> None:
    controller, screen = pty.openpty()
    ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "60", "LINES": "24"}
    command = [*COMMAND, "verify", "boards"]
    with subprocess.Popen(command, stdin=screen, stdout=screen, stderr=screen, env=environment) as process:
        os.close(screen)
        output = _read_to_end(controller).replace("\r", "\n")
    os.close(controller)
    drawn = re.sub(r"\033\[[0-9;?]*[a-zA-Z]", "", output).splitlines()
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


def test_the_log_has_no_content(monkeypatch: pytest.MonkeyPatch) -> None:
    sink = io.StringIO()
    monkeypatch.setattr(sys, "stderr", sink)
    loggers = [logging.getLogger(name) for name in ("tablewright", "tablewright_systems")]
    access = logging.getLogger("tablewright.access")
    before = [(logger, list(logger.handlers), logger.propagate) for logger in loggers]
    level = access.level
    try:
        log_to_stderr(verbose=True)
        access.info("GetItem 200")
        try:
            raise ValueError("secret")
        except ValueError as error:
            logging.getLogger("tablewright_systems.jobs").error("mail failed", exc_info=error)
    finally:
        access.setLevel(level)
        for logger, handlers, propagates in before:
            logger.handlers, logger.propagate = handlers, propagates
    shown = sink.getvalue()
    assert "GetItem 200" in shown
    assert shown.rstrip().endswith("ValueError")
    assert "secret" not in shown.replace('raise ValueError("secret")', "")
