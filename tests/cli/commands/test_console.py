"""`tablewright console`: a token in the printed address, and errors before it listens."""

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.cli.runner import COMMAND, error_line, error_line_here, run

DESIGN = "tablewright_systems.goalsguild.design:design"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("console") / "app.db"
    assert run("deploy", DESIGN, "--on", str(file)).returncode == 0
    return file


@contextmanager
def served(
    *arguments: str, address: str = r"(http://127\.0\.0\.1:\d+)/\?token=(\S+)"
) -> Iterator[tuple[str, str]]:
    """Run a command with a console; return the address of the console and its token."""
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    output = ""
    while (found := re.search(address, output)) is None:
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        output += line
    try:
        yield found[1], found[2]
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")


def test_the_console_is_read_only_and_needs_its_token(data: Path) -> None:
    with (
        served("console", DESIGN, "--on", str(data), "--port", "0") as (address, token),
        httpx.Client() as http,
    ):
        assert http.get(f"{address}/api/v1/designs").status_code == 401
        http.get(address, params={"token": token})
        (design,) = http.get(f"{address}/api/v1/designs").json()["designs"]
        commit = f"{address}/api/v1/designs/goalsguild/edit/commit"
        refused = http.post(commit, json={}, headers={"X-Tablewright-Console": "1"})
    assert (design["location"], design["source"], design["writable"]) == (str(data), DESIGN, False)
    assert "Start it with --write to change data" in refused.json()["error"]["message"]
    assert data.with_name("app.db.console.key").stat().st_mode & 0o077 == 0


def test_serve_has_the_console_of_a_design(data: Path) -> None:
    options = ("--console", DESIGN, "--console-port", "0", "--console-write", "--console-reveal")
    with (
        served("serve", "--on", str(data), "--port", "0", *options) as (address, token),
        httpx.Client() as http,
    ):
        http.get(address, params={"token": token})
        (design,) = http.get(f"{address}/api/v1/designs").json()["designs"]
        found = http.get(f"{address}/api/v1/designs/goalsguild")
    assert design["writable"]
    assert (design["write_option"], design["reveal_option"]) == ("--console-write", "--console-reveal")
    assert design["location"].startswith("http://127.0.0.1:")
    assert found.status_code == 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--on", "absent.db"), "data file absent.db does not exist"),
        (
            ("--on", "aws:eu-north-1", "--write"),
            "to let the console write there, repeat the location: --write aws:",
        ),
        (("--on", "x.db", "--write", "y.db"), "--write y.db is not the location of the console"),
    ],
)
def test_errors_come_before_the_console_starts(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    assert message in error_line_here("console", DESIGN, *arguments, cwd=tmp_path)


def test_options_of_the_console_need_a_console() -> None:
    assert "need --console MODULE:DESIGN" in error_line("serve", "--on", "memory", "--console-write")
