"""Contestants: our server and its peers, how each is found, started and stopped."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.wire.workloads import call

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tablewright-peers"
PATIENCE = 60.0

_NODE = CACHE / "node_modules"
_DYNOXIDE = _NODE / "@dynoxide" / "linux-x64" / "dynoxide"
_JAVA = _NODE / "amplify-dynamodb-simulator" / "emulator"

# Places in /proc/PID/stat after the name of the process; see proc(5).
_SESSION, _USER_TIME, _SYSTEM_TIME, _RESIDENT_PAGES = 3, 11, 12, 21

Command = Callable[[int, Path], list[str]]


@dataclass(frozen=True, slots=True)
class Contestant:
    """A server with the DynamoDB API."""

    name: str
    command: Command
    file: Path
    """What must exist to run it."""
    program: str = ""
    """What must be on the path to run it."""
    flushes_writes: bool = False
    """Whether a write is on disk before its reply; `benchmarks.wire.flushes` measures it."""

    @property
    def is_ours(self) -> bool:
        """Whether the contestant is Tablewright."""
        return self.name.startswith("Tablewright")

    def absence(self) -> str | None:
        """Why the contestant is absent, or None."""
        if self.program and shutil.which(self.program) is None:
            return f"{self.program} is not installed"
        return None if self.file.exists() else f"{self.file} does not exist (make bench-peers)"


def _ours(*options: str) -> Command:
    return lambda port, folder: [
        *(sys.executable, "-m", "tablewright", "serve", "--port", str(port)),
        *(option.format(folder=folder) for option in options),
    ]


def _dynamodb_local(*options: str) -> Command:
    libraries = f"-Djava.library.path={_JAVA / 'DynamoDBLocal_lib'}"
    jar = str(_JAVA / "DynamoDBLocal.jar")
    return lambda port, folder: [
        *("java", libraries, "-jar", jar, "-disableTelemetry", "-port", str(port)),
        *(option.format(folder=folder) for option in options),
    ]


def _dynalite(*options: str) -> Command:
    return lambda port, folder: [
        *("node", str(_NODE / "dynalite" / "cli.js"), "--host", "127.0.0.1", "--port", str(port)),
        *(option.format(folder=folder) for option in options),
    ]


def _dynoxide(*options: str) -> Command:
    return lambda port, folder: [
        *(str(_DYNOXIDE), "--port", str(port)),
        *(option.format(folder=folder) for option in options),
    ]


def _moto(port: int, folder: Path) -> list[str]:
    return [str(CACHE / "moto" / "bin" / "moto_server"), "--port", str(port)]


IN_MEMORY = Contestant("Tablewright, memory", _ours("--memory"), Path(sys.executable))
MOTO = Contestant("moto", _moto, CACHE / "moto" / "bin" / "moto_server")

CONTESTANTS = (
    IN_MEMORY,
    Contestant("DynamoDB Local 1.25", _dynamodb_local("-inMemory"), _JAVA / "DynamoDBLocal.jar", "java"),
    Contestant("dynalite", _dynalite(), _NODE / "dynalite" / "cli.js", "node"),
    Contestant("dynoxide", _dynoxide(), _DYNOXIDE),
    MOTO,
)
"""All in memory; moto has nothing else."""

ON_FILES = (
    Contestant(
        "Tablewright, 1 process",
        _ours("--on", "{folder}/bench.db"),
        Path(sys.executable),
        flushes_writes=True,
    ),
    Contestant(
        "Tablewright, 2 workers",
        _ours("--on", "{folder}/workers.db", "--workers", "2"),
        Path(sys.executable),
        flushes_writes=True,
    ),
    Contestant(
        "DynamoDB Local 1.25",
        _dynamodb_local("-sharedDb", "-dbPath", "{folder}"),
        _JAVA / "DynamoDBLocal.jar",
        "java",
        flushes_writes=True,
    ),
    Contestant(
        "dynoxide",
        _dynoxide("--db-path", "{folder}/dynoxide.db"),
        _DYNOXIDE,
        flushes_writes=True,
    ),
    Contestant(
        "dynalite",
        _dynalite("--path", "{folder}/dynalite"),
        _NODE / "dynalite" / "cli.js",
        "node",
    ),
)
"""The same servers, each with its data in a file or a folder."""


class Running:
    """A contestant in a process of its own, from its first reply until it is stopped."""

    def __init__(self, contestant: Contestant, folder: Path, prefix: Sequence[str] = ()) -> None:
        """`prefix` is a command that runs the server's command, such as strace."""
        self.contestant = contestant
        self.name = contestant.name
        self.address = ("127.0.0.1", _free_port())
        self._command = contestant.command(self.address[1], folder)
        self._prefix = prefix
        self._folder = folder
        self._process: subprocess.Popen[bytes]
        self.start_seconds = 0.0
        self.idle_megabytes = 0.0

    def __enter__(self) -> Self:
        began = time.perf_counter()
        self._process = subprocess.Popen(
            [*self._prefix, *self._command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            start_new_session=True,
        )
        self._wait_for_reply(began + PATIENCE)
        self.start_seconds = time.perf_counter() - began
        self.idle_megabytes = self.resident_megabytes()
        return self

    def processor_seconds(self) -> float:
        """Processor time of the server so far, of all its processes."""
        ticks = sum(int(fields[_USER_TIME]) + int(fields[_SYSTEM_TIME]) for fields in self._statistics())
        return ticks / os.sysconf("SC_CLK_TCK")

    def resident_megabytes(self) -> float:
        """Resident memory of the server, of all its processes."""
        pages = sum(int(fields[_RESIDENT_PAGES]) for fields in self._statistics())
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def _statistics(self) -> Iterator[list[str]]:
        """The fields of /proc/PID/stat after the name, for each process of the server's session (on Linux)."""
        for file in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = file.read_text().rpartition(")")[2].split()
            except OSError:  # the process has ended
                continue
            if int(fields[_SESSION]) == self._process.pid:
                yield fields

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
