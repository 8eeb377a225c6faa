"""The command line as a user meets it: in a process, by its words and its exit codes."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tablewright import embedded
from tests.server.processes import ServerProcess


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tablewright", *arguments], capture_output=True, text=True, cwd=cwd, timeout=60
    )


def complaint(*arguments: str, cwd: Path | None = None) -> str:
    """The one line with which a command refuses."""
    answer = run(*arguments, cwd=cwd)
    assert answer.returncode == 2
    assert answer.stdout == ""
    lines = answer.stderr.splitlines()
    assert len(lines) == 1
    return lines[0].removeprefix("tablewright: ")


def test_the_address_is_printed_on_one_line() -> None:
    command = [sys.executable, "-m", "tablewright", "serve", "--memory", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.terminate()
        assert process.stdout.read() == ""
    assert line.startswith("Tablewright listening on http://127.0.0.1:")
    assert process.returncode == 0
    assert int(line.rpartition(":")[2]) > 0


def test_a_taken_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = complaint("serve", "--memory", "--port", port)
    assert said == f"port {port} is taken: stop what listens there, or choose another (--port 0 finds one)"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "check its permissions" in complaint("serve", "--port", "0", "--data", str(tmp_path / "data.db"))


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    said = complaint("serve", "--port", "0", "--data", str(tmp_path / "missing" / "data.db"))
    assert said.endswith(f"mkdir -p {tmp_path / 'missing'}")


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    assert complaint("serve", "--port", "0", "--data", str(tmp_path)).startswith(f"{tmp_path} is a directory")


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database " * 100)
    assert "not a Tablewright database" in complaint("serve", "--port", "0", "--data", str(file))


def test_a_file_in_use(tmp_path: Path) -> None:
    data = str(tmp_path / "data.db")
    with ServerProcess("--data", data) as server:
        assert f"in use by process {server.pid}" in complaint("serve", "--port", "0", "--data", data)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_listening_beyond_this_machine_must_be_meant(host: str) -> None:
    said = complaint("serve", "--memory", "--port", "0", "--host", host)
    assert "--require-signatures --credentials FILE, or say --insecure" in said


def test_listening_beyond_this_machine_when_it_is_meant(tmp_path: Path) -> None:
    keys = tmp_path / "keys.ini"
    keys.touch(0o600)
    keys.write_text("[a]\naws_access_key_id=known\naws_secret_access_key=secret\n")
    for options in (["--insecure"], ["--require-signatures", "--credentials", str(keys)]):
        with ServerProcess("--memory", "--host", "0.0.0.0", *options) as server:
            assert server.url.startswith("http://0.0.0.0:")


@pytest.mark.parametrize("host", ["no.such.host.invalid", "256.1.1.1"])
def test_a_host_that_is_not_here(host: str) -> None:
    assert (
        complaint("serve", "--memory", "--host", host)
        == f"{host} is not an address of this machine; try 127.0.0.1"
    )


@pytest.mark.parametrize("options", [["--require-signatures"], ["--credentials", "keys.ini"]])
def test_signatures_and_keys_go_together(options: list[str]) -> None:
    assert "go together" in complaint("serve", "--memory", *options)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read: No such file"),
        ("not an ini file", "is not a credentials file"),
        ("[empty]\n", "holds no aws_access_key_id"),
        ("[half]\naws_access_key_id=known\n", "holds no aws_access_key_id"),
    ],
)
def test_a_file_of_keys_that_is_none(tmp_path: Path, content: str | None, reason: str) -> None:
    keys = tmp_path / "keys.ini"
    if content is not None:
        keys.touch(0o600)
        keys.write_text(content)
    assert reason in complaint("serve", "--memory", "--require-signatures", "--credentials", str(keys))


def test_a_file_of_keys_in_a_home_that_is_not_there() -> None:
    options = ("--require-signatures", "--credentials", "~nobody-of-that-name/keys.ini")
    assert "no such home directory" in complaint("serve", "--memory", *options)


def test_ipv6() -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    with (
        ServerProcess("--memory", "--host", "::1") as server,
        socket.create_connection(server.address) as line,
    ):
        line.sendall(b"GET / HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n")
        assert line.recv(1000).startswith(b"HTTP/1.1 200 OK")


def test_the_log_names_operations_and_nothing_that_was_sent(tmp_path: Path) -> None:
    from tests.server.talk import Line, post

    with ServerProcess("--memory", "-v") as server, Line(server.address) as line:
        body = b'{"TableName":"secret-name","Key":{"p":{"S":"secret-key"}}}'
        headers = {
            "Authorization": "AWS4-HMAC-SHA256 Credential=secret-id",
            "X_Amz_Security_Token": "secret-token",
        }
        assert line.ask(post("GetItem", body, path="/", **headers)).status == 400
        assert line.ask(b"GET /?X-Amz-Credential=secret HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 200
        server.signal()
        code, log = server.wait()
    assert code == 0
    assert "POST GetItem 400" in log
    assert "secret" not in log
    assert len(log.splitlines()) == 2


def test_no_log_unless_asked_for() -> None:
    from tests.server.talk import Line

    with ServerProcess("--memory") as server, Line(server.address) as line:
        assert line.call("ListTables", {}).status == 200
        server.signal()
        assert server.wait() == (0, "")


def test_tables(tmp_path: Path) -> None:
    data = tmp_path / "data.db"
    assert "does not exist" in complaint("tables", "--data", str(data))
    with embedded(data) as db:
        for name in ("Albums", "Music"):
            db.call(
                "CreateTable",
                {
                    "TableName": name,
                    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
                    "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
                    "BillingMode": "PAY_PER_REQUEST",
                },
            )
        db.call("PutItem", {"TableName": "Music", "Item": {"p": {"S": "x"}}})
    shown = run("tables", "--data", str(data)).stdout.splitlines()
    assert [line.split()[0] for line in shown] == ["TABLE", "Albums", "Music"]
    assert shown[2].split()[1] == "1"
    found = json.loads(run("tables", "--data", str(data), "--json").stdout)
    assert [table["TableName"] for table in found] == ["Albums", "Music"]


def test_version() -> None:
    assert run("--version").stdout.startswith("tablewright ")


def test_nothing_asked_for_is_answered_with_the_usage() -> None:
    answer = run()
    assert answer.returncode == 2
    assert "usage: tablewright" in answer.stderr


def test_a_reader_who_has_seen_enough_is_no_trouble() -> None:
    command = [sys.executable, "-m", "tablewright", "check", "--explain", "TW107"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141
