"""Contestants: our server and its peers, how each is found, started and stopped."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.wire.workloads import call

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tablewright-peers"
PATIENCE = 60.0

_NODE = CACHE / "node_modules"
_JAVA = _NODE / "amplify-dynamodb-simulator" / "emulator"

Command = Callable[[int, Path], list[str]]


@dataclass(frozen=True, slots=True)
class Contestant:
    """A server with the DynamoDB API."""

    name: str
    command: Command
    file: Path
    """What must be there to run it."""
    program: str = ""
    """What must be on the path to run it."""

    def absence(self) -> str | None:
        """Why the contestant is absent, or None."""
        if self.program and shutil.which(self.program) is None:
            return f"{self.program} is not installed"
        return None if self.file.exists() else f"{self.file} is not there (make bench-peers)"


def _ours(*options: str) -> Command:
    return lambda port, folder: [
        *(sys.executable, "-m", "tablewright", "serve", "--port", str(port)),
        *(option.format(folder=folder) for option in options),
    ]


def _dynamodb_local(port: int, folder: Path) -> list[str]:
    jar = str(_JAVA / "DynamoDBLocal.jar")
    return [
        "java",
        f"-Djava.library.path={_JAVA / 'DynamoDBLocal_lib'}",
        "-jar",
        jar,
        "-inMemory",
        "-port",
        str(port),
    ]


def _dynalite(port: int, folder: Path) -> list[str]:
    return ["node", str(_NODE / "dynalite" / "cli.js"), "--host", "127.0.0.1", "--port", str(port)]


def _dynoxide(port: int, folder: Path) -> list[str]:
    return [str(_NODE / "@dynoxide" / "linux-x64" / "dynoxide"), "--port", str(port)]


def _moto(port: int, folder: Path) -> list[str]:
    return [str(CACHE / "moto" / "bin" / "moto_server"), "--port", str(port)]


# Peers run as fast as they can: in memory.
CONTESTANTS = (
    Contestant("Tablewright, memory", _ours("--memory"), Path(sys.executable)),
    Contestant("Tablewright, file", _ours("--on", "{folder}/bench.db"), Path(sys.executable)),
    Contestant("DynamoDB Local 1.25", _dynamodb_local, _JAVA / "DynamoDBLocal.jar", "java"),
    Contestant("dynalite", _dynalite, _NODE / "dynalite" / "cli.js", "node"),
    Contestant("dynoxide", _dynoxide, _NODE / "@dynoxide" / "linux-x64" / "dynoxide"),
    Contestant("moto", _moto, CACHE / "moto" / "bin" / "moto_server"),
)


class Running:
    """A contestant in a process of its own, from its first reply until it is stopped."""

    def __init__(self, contestant: Contestant, folder: Path) -> None:
        self.name = contestant.name
        self.address = ("127.0.0.1", _free_port())
        self._command = contestant.command(self.address[1], folder)
        self._folder = folder
        self._process: subprocess.Popen[bytes]
        self.start_seconds = 0.0
        self.idle_megabytes = 0.0

    def __enter__(self) -> Self:
        began = time.perf_counter()
        self._process = subprocess.Popen(
            self._command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            start_new_session=True,
        )
        self._wait_for_reply(began + PATIENCE)
        self.start_seconds = time.perf_counter() - began
        self.idle_megabytes = _resident(self._process.pid)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _wait_for_reply(self, until: float) -> None:
        while True:
            line = http.client.HTTPConnection(*self.address, timeout=PATIENCE)
            try:
                call(line, "ListTables", {})
                return
            except OSError:
                if time.perf_counter() > until or self._process.poll() is not None:
                    raise RuntimeError(f"{self.name} did not start") from None
                time.sleep(0.01)
            finally:
                line.close()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return float("nan")
    kilobytes = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(kilobytes.split()[1]) / 1024
