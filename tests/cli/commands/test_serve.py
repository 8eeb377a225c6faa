"""`tablewright serve`: its output, its exit codes, and its errors."""

import os
import socket
import subprocess
from pathlib import Path

import pytest

from tablewright.cli.commands.serve import guide, remote_regions
from tablewright.errors import UsageError
from tests.cli.runner import COMMAND, error_line
from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection, post


def test_the_address_is_printed_on_one_line() -> None:
    command = [*COMMAND, "serve", "--memory", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.terminate()
        assert process.stdout.read() == ""
    assert line.startswith("Tablewright listening on http://127.0.0.1:")
    assert process.returncode == 0
    assert int(line.rpartition(":")[2]) > 0


@pytest.mark.parametrize("option", ["--on", "--data"])
def test_data_is_kept_in_the_file(tmp_path: Path, option: str) -> None:
    data = tmp_path / "data.db"
    with ServerProcess(option, str(data)):
        assert data.exists()


def test_a_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        message = error_line("serve", "--memory", "--port", port)
    assert (
        message
        == f"port {port} is in use; stop the program that uses it, or select a free port with --port 0"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_write_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "permissions" in error_line("serve", "--port", "0", "--on", str(tmp_path / "data.db"))


def test_a_missing_folder(tmp_path: Path) -> None:
    message = error_line("serve", "--port", "0", "--on", str(tmp_path / "missing" / "data.db"))
    assert message.endswith(f"mkdir -p {tmp_path / 'missing'}")


def test_a_folder_instead_of_a_file(tmp_path: Path) -> None:
    assert error_line("serve", "--port", "0", "--on", str(tmp_path)).startswith(f"{tmp_path} is a directory")


def test_a_file_that_is_not_a_database(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database " * 100)
    assert "not a Tablewright database" in error_line("serve", "--port", "0", "--on", str(file))


def test_a_file_in_use(tmp_path: Path) -> None:
    data = str(tmp_path / "data.db")
    with ServerProcess("--on", data) as server:
        assert f"in use by process {server.pid}" in error_line("serve", "--port", "0", "--on", data)


@pytest.mark.parametrize("location", ["http://127.0.0.1:1", "aws:eu-north-1"])
def test_a_location_that_cannot_be_served(location: str) -> None:
    message = error_line("serve", "--port", "0", "--on", location)
    assert message == f"serve cannot use {location}; give FILE or memory with --on"


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_other_machines_are_served_only_on_request(host: str) -> None:
    message = error_line("serve", "--memory", "--port", "0", "--host", host)
    assert message.endswith("add --require-signatures --credentials FILE, or --insecure")


def test_other_machines_are_served_with_signatures_or_insecure(tmp_path: Path) -> None:
    keys = tmp_path / "keys.ini"
    keys.touch(0o600)
    keys.write_text("[a]\naws_access_key_id=known\naws_secret_access_key=secret\n")
    for options in (["--insecure"], ["--require-signatures", "--credentials", str(keys)]):
        with ServerProcess("--memory", "--host", "0.0.0.0", *options) as server:
            assert server.url.startswith("http://0.0.0.0:")


@pytest.mark.parametrize("host", ["no.such.host.invalid", "256.1.1.1"])
def test_a_host_that_is_not_this_machine(host: str) -> None:
    message = error_line("serve", "--memory", "--port", "0", "--host", host)
    assert message == f"{host} is not an address of this machine; use 127.0.0.1"


@pytest.mark.parametrize("options", [["--require-signatures"], ["--credentials", "keys.ini"]])
def test_signatures_need_credentials(options: list[str]) -> None:
    assert "must be given together" in error_line("serve", "--memory", "--port", "0", *options)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file"),
        ("not an ini file", "is not a credentials file"),
        ("[empty]\n", "aws_access_key_id"),
        ("[half]\naws_access_key_id=known\n", "aws_access_key_id"),
    ],
)
def test_an_invalid_credentials_file(tmp_path: Path, content: str | None, reason: str) -> None:
    keys = tmp_path / "keys.ini"
    if content is not None:
        keys.touch(0o600)
        keys.write_text(content)
    options = ("--port", "0", "--require-signatures", "--credentials", str(keys))
    assert reason in error_line("serve", "--memory", *options)


def test_credentials_in_a_missing_home_directory() -> None:
    options = ("--port", "0", "--require-signatures", "--credentials", "~unknown-user-name/keys.ini")
    assert "home directory" in error_line("serve", "--memory", *options)


def test_ipv6() -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 on this machine")
    with (
        ServerProcess("--memory", "--host", "::1") as server,
        socket.create_connection(server.address) as connection,
    ):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 200 OK")


def test_the_log_contains_operations_but_no_content() -> None:
    with ServerProcess("--memory", "-v") as server, RawConnection(server.address) as connection:
        body = b'{"TableName":"secret-name","Key":{"p":{"S":"secret-key"}}}'
        headers = {
            "Authorization": "AWS4-HMAC-SHA256 Credential=secret-id",
            "X_Amz_Security_Token": "secret-token",
        }
        assert connection.ask(post("GetItem", body, path="/", **headers)).status == 400
        assert (
            connection.ask(b"GET /?X-Amz-Credential=secret HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 200
        )
        server.signal()
        code, log = server.wait()
    assert code == 0
    assert "POST GetItem 400" in log
    assert "secret" not in log
    assert len(log.splitlines()) == 2


def test_no_log_without_verbose() -> None:
    with ServerProcess("--memory") as server, RawConnection(server.address) as connection:
        assert connection.call("ListTables", {}).status == 200
        server.signal()
        assert server.wait() == (0, "")


def test_the_examples_work() -> None:
    with ServerProcess("--on", "memory") as server:
        text = guide(server.url, "us-east-1")
        python, shell = text.partition("With boto3:")[2].split("With the AWS CLI:")
        for pasted in (python, python, shell.partition("Press Ctrl-C")[0]):
            result = subprocess.run(["sh", "-c", pasted], capture_output=True, text=True, timeout=60)
            assert result.returncode == 0, result.stderr
            assert "Sinnerman" in result.stdout


def test_regions_and_urls() -> None:
    arguments = ["eu-west-1=http://10.0.0.2:8000/", "ap-south-1=https://db.example.org"]
    assert remote_regions(arguments, "us-east-1") == {
        "eu-west-1": "http://10.0.0.2:8000",
        "ap-south-1": "https://db.example.org",
    }
    assert remote_regions([], "us-east-1") == {}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["eu-west-1"], "is not the URL of a server"),
        (["http://10.0.0.2:8000"], "is not a region of AWS; write REGION=URL"),
        (["eu=http://10.0.0.2:8000"], "'eu' is not a region of AWS"),
        (
            ["us-east-1=http://10.0.0.2:8000"],
            "this server has the region us-east-1; change --region or --replica",
        ),
        (["eu-west-1=ftp://10.0.0.2"], "is not the URL of a server"),
        (["eu-west-1=http://10.0.0.2:port"], "is not the URL of a server"),
        (["eu-west-1=http://10.0.0.2/path"], "is not the URL of a server"),
        (["eu-west-1=http://a:1", "eu-west-1=http://b:1"], "eu-west-1 is given twice; remove one"),
    ],
)
def test_mistakes_are_named(arguments: list[str], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        remote_regions(arguments, "us-east-1")
