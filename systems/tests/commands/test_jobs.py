"""`tablewright-systems jobs`: the background jobs of systems, once or until stopped."""

import signal
import subprocess
from argparse import Namespace
from datetime import timedelta
from pathlib import Path

import pytest
from tablewright_systems.commands import jobs
from tablewright_systems.hosting import HostedSystems, keys_for
from tablewright_systems.registry import System, find
from tablewright_systems.service import Job, JobRun

from systems.tests.commands.runner import COMMAND, error_line, run
from tests.forked_processes import ForkedProcess


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data file with the tables of Boards."""
    from tablewright import embedded

    boards = find("boards")
    assert boards is not None
    with embedded(tmp_path / "app.db") as connection:
        HostedSystems(connection, keys_for(tmp_path / "app.db"), [boards])
    return tmp_path / "app.db"


def options(data: Path) -> Namespace:
    return Namespace(systems=["boards"], on=str(data), env=None, prefix="", keys=None, once=True)


def test_each_due_job_runs_once(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(run: JobRun) -> None:
        raise ValueError(run.db.design.name)

    monkeypatch.setattr(
        "tablewright_systems.commands.jobs.log_to_stderr", lambda: None
    )  # it changes the loggers of this process
    declared = (Job("expiry", timedelta(hours=1), lambda run: None), Job("mail", timedelta(hours=1), fail))
    monkeypatch.setattr(System, "jobs", property(lambda system: declared))
    assert jobs.run(options(data)) == 1
    printed = capsys.readouterr()
    assert printed.out.split() == "JOB RESULT boards.expiry done boards.mail failed".split()
    assert "boards.mail: ValueError: boards" in printed.err
    assert jobs.run(options(data)) == 0
    assert capsys.readouterr().out.split() == "JOB RESULT boards.expiry not due boards.mail not due".split()


def test_missing_tables_are_named_with_the_commands_that_create_them(data: Path) -> None:
    message = error_line("jobs", "boards", "--on", str(data), "--prefix", "other-")
    assert "table 'other-UserProfiles' does not exist" in message
    assert "tablewright deploy tablewright_systems.boards.design:design" in message


def test_missing_data_file_is_not_created(tmp_path: Path) -> None:
    assert "data file app.db does not exist" in error_line("jobs", "--on", "app.db", cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert "jobs cannot use memory" in error_line("jobs", "--on", "memory", cwd=tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_jobs_run_until_a_signal(data: Path, number: signal.Signals) -> None:
    command = [*COMMAND, "jobs", "boards", "--on", str(data)]
    process = ForkedProcess(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while "Ctrl-C" not in (line := process.stdout.readline()):
        assert line, process.communicate()[1]
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")


def test_help_names_the_systems_argument() -> None:
    assert "SYSTEM" in run("jobs", "--help").stdout
