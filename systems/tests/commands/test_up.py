"""`tablewright-systems up`: all systems on one data file, in two runs."""

import argparse
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tablewright_systems.commands import up as up_command
from tablewright_systems.registry import SYSTEMS

from systems.tests.commands.runner import COMMAND, error_line_here, run, run_here
from tests.forked_processes import ForkedProcess
from tests.server.raw_http import RawConnection
from tests.server.workers.process_trees import is_running, readers_of


@contextmanager
def up(folder: Path, *options: str) -> Iterator[dict[str, str]]:
    """Start the systems, return their addresses, and stop them with Ctrl-C, which prints nothing."""
    command = [*COMMAND, "up", "--port", "0", "--web-port", "0", *options]
    process = ForkedProcess(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = ""
    while "Ctrl-C" not in output:
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        output += line
    endpoint = re.search(r"listening on (\S+)", output)
    pages = re.search(r"Start page\s+(\S+)/", output)
    command_line = re.search(r"^(\S.* token boards --on .*)$", output, re.MULTILINE)
    assert endpoint is not None
    assert pages is not None
    assert command_line is not None
    try:
        yield {"endpoint": endpoint[1], "pages": pages[1], "token": command_line[1], "pid": str(process.pid)}
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    # A slow run prints lines of progress; reminders of the sample data are logged without a mail server.
    expected = re.compile(r"systems with sample data: |\S+ \S+ no mail server is set in ")
    unexpected = [line for line in errors.splitlines() if not expected.match(line)]
    assert (process.returncode, unexpected) == (0, [])


def fetched(
    url: str, token: str | None = None, host: str | None = None, body: bytes | None = None
) -> tuple[int, str]:
    headers = {"Content-Type": "application/json"}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    headers |= {"Host": host} if host else {}
    request = urllib.request.Request(url, body, headers, method="PATCH" if body else "GET")
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def token_for(folder: Path, *arguments: str) -> str:
    result = run_here("token", *arguments, cwd=folder)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def check_pages(pages: str) -> None:
    """The start page links to the documents of each system; other hosts are rejected."""
    status, start = fetched(f"{pages}/")
    assert status == 200
    for system in SYSTEMS:
        assert f'href="/{system.name}/docs"' in start
        status, page = fetched(f"{pages}/{system.name}/docs")
        assert (status, system.title in page) == (200, True)
    # Documents take seconds to generate; those of all systems are tested in `systems/tests/web`.
    assert fetched(f"{pages}/boards/openapi.json")[0] == 200
    assert fetched(f"{pages}/student_hub/dashboard")[0] == 401
    assert fetched(f"{pages}/", host="evil.example")[0] == 400


def check_readers(addresses: dict[str, str], token: str) -> None:
    """Whichever process replies, it has read what an API has written."""
    port = int(addresses["endpoint"].rpartition(":")[2])
    with ExitStack() as stack:
        clients = [stack.enter_context(RawConnection(("127.0.0.1", port))) for _ in range(4)]
        for name in ("Ada", "Grace", "Mary"):
            change = json.dumps({"firstName": name}).encode()
            assert fetched(f"{addresses['pages']}/student_hub/profile", token, body=change)[0] == 200
            for client in clients:
                request = {"TableName": "leavs-main-user-profiles", "ConsistentRead": True}
                assert f'"{name}"' in client.call("Scan", request).body.decode()


def check_console_that_shows_secrets(pages: str) -> None:
    """The start page has no token of it."""
    _, start = fetched(f"{pages}/")
    assert 'href="/console/"' in start
    assert "token=" not in start
    status, page = fetched(f"{pages}/console/")
    assert (status, "printed in the terminal" in page) == (401, True)


def test_a_second_run_keeps_the_data_of_the_first(tmp_path: Path) -> None:
    """Each run takes seconds, so that these two show everything of a running command."""
    with up(tmp_path, "--samples", "1", "--workers", "2") as addresses:
        readers = readers_of(int(addresses["pid"]))
        assert len(readers) == 2
        check_pages(addresses["pages"])
        token = token_for(tmp_path, "student_hub")
        check_readers(addresses, token)
        seen = fetched(f"{addresses['pages']}/student_hub/dashboard", token)
        assert json.loads(seen[1])["profile"]["firstName"] == "Mary"
        name, *arguments = shlex.split(addresses["token"])
        printed = run(*arguments, cwd=tmp_path)
        assert (Path(name).name, printed.stdout.count(".")) == ("tablewright-systems", 2)
    assert not [pid for pid in readers if is_running(pid)]
    with up(tmp_path, "--console-reveal", "--workers", "1") as addresses:
        assert fetched(f"{addresses['pages']}/student_hub/dashboard", token) == seen
        check_console_that_shows_secrets(addresses["pages"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--on", "no/such/folder/x.db"], "does not exist; create it first"),
        (["--data", "no/such/folder/x.db"], "does not exist; create it first"),
        (["--on", "memory"], "up cannot use memory: data in memory is lost when the command ends; give FILE"),
        (["--on", "http://127.0.0.1:1"], "up cannot use http://127.0.0.1:1; give FILE with --on"),
    ],
)
def test_invalid_locations(tmp_path: Path, options: list[str], message: str) -> None:
    assert message in error_line_here("up", "--port", "0", "--web-port", "0", *options, cwd=tmp_path)


@pytest.mark.parametrize(("processors", "workers"), [(1, 1), (2, 1), (4, 3), (64, 4)])
def test_default_number_of_workers(processors: int, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    parser = argparse.ArgumentParser()
    up_command.arguments(parser)
    assert parser.parse_args([]).workers == workers


@pytest.mark.parametrize("option", ["--port", "--web-port"])
def test_a_port_in_use(option: str, tmp_path: Path) -> None:
    other = {"--port": "--web-port", "--web-port": "--port"}[option]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        message = error_line_here("up", "--samples", "0", option, port, other, "0", cwd=tmp_path)
    assert message.startswith(f"port {port} is in use")
    assert message.endswith(f"{option} 0")
