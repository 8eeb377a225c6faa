"""`tablewright up`, as a newcomer meets it: everything on one file, twice."""

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tablewright_systems.registry import SYSTEMS

COMMAND = [sys.executable, "-m", "tablewright"]


@contextmanager
def up(folder: Path, *options: str) -> Iterator[dict[str, str]]:
    """Where everything is, from when it says so until Ctrl-C, which it takes without a word."""
    command = [*COMMAND, "up", "--port", "0", "--web-port", "0", *options]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = ""
    while "Ctrl-C" not in told:
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        told += line
    endpoint = re.search(r"listening on (\S+)", told)
    pages = re.search(r"Start page\s+(\S+)/", told)
    command_line = re.search(r"^(\S*tablewright token .*)$", told, re.MULTILINE)
    assert endpoint is not None
    assert pages is not None
    assert command_line is not None
    try:
        yield {"endpoint": endpoint[1], "pages": pages[1], "token": command_line[1]}
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")


def fetched(url: str, token: str | None = None, host: str | None = None) -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    headers |= {"Host": host} if host else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


def minted(folder: Path, *arguments: str) -> str:
    told = subprocess.run(
        [*COMMAND, "token", *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return told.stdout.strip()


def test_everything_runs_on_one_file_and_a_second_run_keeps_it(tmp_path: Path) -> None:
    with up(tmp_path, "--samples", "3") as places:
        status, start = fetched(f"{places['pages']}/")
        assert status == 200
        for system in SYSTEMS:
            assert f'href="/{system.name}/docs"' in start
            status, page = fetched(f"{places['pages']}/{system.name}/docs")
            assert (status, system.title in page) == (200, True)
            assert fetched(f"{places['pages']}/{system.name}/openapi.json")[0] == 200
        assert fetched(f"{places['pages']}/student_hub/dashboard")[0] == 401
        token = minted(tmp_path, "student_hub")
        seen = fetched(f"{places['pages']}/student_hub/dashboard", token)
        assert json.loads(seen[1])["profile"]["firstName"]
        assert fetched(f"{places['pages']}/", host="evil.example")[0] == 400
        printed = subprocess.run(
            places["token"], shell=True, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert printed.stdout.count(".") == 2
    with up(tmp_path) as places:
        assert fetched(f"{places['pages']}/student_hub/dashboard", token) == seen


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["token", "nobody"], "there is no system nobody; there are: boards"),
        (["token", "boards"], "start the systems first: tablewright up"),
        (["token", "boards", "--claim", "roles=admin"], "roles is said by --role"),
        (["token", "boards", "--claim", "sub=eve"], "sub is said by --as"),
        (["token", "boards", "--claim", "email"], "a claim is NAME=VALUE"),
        (["verify", "nobody"], "there is no system nobody; there are: boards"),
        (["up", "--data", "no/such/folder/x.db"], "does not exist; create it first"),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, arguments: list[str], told: str) -> None:
    answer = subprocess.run([*COMMAND, *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert answer.returncode == 2
    assert told in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_verify_prints_a_line_for_each_proof(tmp_path: Path) -> None:
    answer = subprocess.run([*COMMAND, "verify", "student_hub"], cwd=tmp_path, capture_output=True, text=True)
    assert answer.returncode == 0
    assert "47 of 47 hold" in answer.stdout
    assert re.search(r"^A12 .*002:617 +DueDateIndex", answer.stdout, re.MULTILINE)
