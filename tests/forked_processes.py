"""Python processes that start with the library loaded: forks of a process that has imported it once.

Hundreds of tests start a command or a server, and the imports take ten times as long as what is tested. What a forked
process runs, writes and returns is the same. Tests of imports, of memory and of the installed commands start processes
of their own; so does every test where the system cannot fork.
"""

import atexit
import fcntl
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent
CAN_FORK = sys.platform == "linux"
"""Elsewhere a process that has used the network may not be forked."""
FREE = 200
"""No open file of a process that forks has this number or a higher one."""


class ForkedProcess(subprocess.Popen[str]):
    """A process of `[sys.executable, "-m", module, ...]` or `[sys.executable, "-c", program, ...]`.

    `prepared` is code that the process has executed before it was forked, instead of the imports of the library.
    """

    def __init__(self, command: Sequence[str], *, prepared: str = "", **settings: Any) -> None:
        self._prepared = prepared
        super().__init__(command, **settings)

    if CAN_FORK:

        def _execute_child(self, *arguments: Any) -> None:
            given = signature(subprocess.Popen._execute_child).bind(self, *arguments).arguments  # type: ignore[attr-defined]
            command = [os.fspath(each) for each in given["args"]]
            assert command[0] == sys.executable, command
            assert command[1] in ("-m", "-c"), command
            systems = ["tablewright_systems"] if "systems" in command[2] else []
            request = {
                "command": command[1:],
                "folder": os.fspath(given["cwd"] or Path.cwd()),
                "environment": dict(given["env"] or os.environ),
                "passed": list(given["pass_fds"]),
                "packages": [] if self._prepared else ["tablewright", *systems],
            }
            streams = [given[name] for name in ("p2cread", "c2pwrite", "errwrite")]
            streams = [own if stream == -1 else stream for own, stream in enumerate(streams)]
            files = [*streams, *given["pass_fds"]]
            self.pid, self._ended = _fork_server(self._prepared).start(request, files)
            self._child_created = True
            pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
            self._close_pipe_fds(*(given[name] for name in pipes))  # type: ignore[attr-defined]

        def _try_wait(self, wait_flags: int) -> tuple[int, int]:
            """As `os.waitpid`: this is not the parent of the process, which tells its status when it ends."""
            if wait_flags & os.WNOHANG and not select.select([self._ended], [], [], 0)[0]:
                return 0, 0
            status = os.read(self._ended, 16)
            os.close(self._ended)
            return self.pid, int(status)

        def _internal_poll(self, *_: Any, **__: Any) -> int | None:
            if self.returncode is None and self._waitpid_lock.acquire(False):  # type: ignore[attr-defined]
                try:
                    if self.returncode is None:
                        pid, status = self._try_wait(os.WNOHANG)
                        if pid == self.pid:
                            self._handle_exitstatus(status)  # type: ignore[attr-defined]
                finally:
                    self._waitpid_lock.release()  # type: ignore[attr-defined]
            returncode: int | None = self.returncode
            return returncode


def run(
    command: Sequence[str], *, timeout: float | None = 120, **settings: Any
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run` with its output captured as text."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with ForkedProcess(command, **{**streams, **settings}) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


class ForkServer:
    """The process that forks, seen from the tests."""

    def __init__(self, prepared: str) -> None:
        self._control, theirs = socket.socketpair()
        command = [sys.executable, "-m", "tests.forked_processes", str(theirs.fileno()), prepared]
        # A copy of the repository has its own sources in PYTHONPATH.
        places = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": places}
        self._process = subprocess.Popen(command, cwd=ROOT, env=environment, pass_fds=[theirs.fileno()])
        theirs.close()
        self._lock = threading.Lock()

    def start(self, request: dict[str, Any], files: list[int]) -> tuple[int, int]:
        """Start a process; return its number, and a file that tells the status when it has ended."""
        ended, status = os.pipe()
        with self._lock:
            socket.send_fds(self._control, [b"\0"], [*files, status])
            self._control.sendall(json.dumps(request).encode() + b"\n")
            os.close(status)
            child = self._control.recv(16)
        assert child, "the process that forks has ended"
        return int(child), ended

    def stop(self) -> None:
        self._control.close()
        self._process.wait(timeout=60)


@cache
def _fork_server(prepared: str) -> ForkServer:
    started = ForkServer(prepared)
    atexit.register(started.stop)
    return started


class Forks:
    """The forks that run, in the process that forks them."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._statuses: dict[int, int] = {}
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> dict[str, Any] | None:
        """Fork for each request until the tests end; in a fork, return its request."""
        while True:
            ready, _, _ = select.select([self._control.fileno(), self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 4096)
                self._tell_ended()
            if self._control.fileno() in ready:
                _, files, _, _ = socket.recv_fds(self._control, 1, 16)
                if not files:
                    return None
                with self._control.makefile("rb") as lines:
                    request: dict[str, Any] = json.loads(lines.readline())
                if self._fork(request, files):
                    return request

    def _fork(self, request: dict[str, Any], files: list[int]) -> bool:
        """Whether this is the fork."""
        for package in request["packages"]:
            load(package)
        *passed, status = files
        if child := os.fork():
            self._statuses[child] = status
            for file in passed:
                os.close(file)
            self._control.sendall(str(child).encode())
            return False
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for file in (self._control.detach(), self._woken, self._wake, status, *self._statuses.values()):
            os.close(file)
        _renumber(dict(zip(passed, [0, 1, 2, *request["passed"]], strict=True)))
        return True

    def _tell_ended(self) -> None:
        while self._statuses:
            child, status = os.waitpid(-1, os.WNOHANG)
            if not child:
                return
            file = self._statuses.pop(child)
            os.write(file, str(status).encode())
            os.close(file)


def _renumber(numbers: dict[int, int]) -> None:
    """Give open files other numbers."""
    copies = {fcntl.fcntl(old, fcntl.F_DUPFD, FREE): new for old, new in numbers.items()}
    for old in numbers:
        os.close(old)
    for copy, new in copies.items():
        os.dup2(copy, new)
        os.close(copy)


@cache
def load(package: str) -> None:
    """Import every module of a package, and keep the garbage collector away from what all forks share."""
    for module in walk_packages(import_module(package).__path__, f"{package}."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    gc.collect()
    gc.freeze()
    assert threading.active_count() == 1, "a process with threads cannot be forked"


def execute(request: dict[str, Any]) -> None:
    """Do in a fork what `python -m module` or `python -c program` does."""
    option, code, *arguments = request["command"]
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    added = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    own = (folder for folder in sys.path if folder != str(ROOT))
    sys.path[:] = ["" if option == "-c" else request["folder"], *added, *own]
    if "PYTHONUNBUFFERED" in os.environ:
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.argv[:] = [option, *arguments]
    if option == "-m":
        warnings.filterwarnings("ignore", "'.*' found in sys.modules", RuntimeWarning)
        runpy.run_module(code, run_name="__main__", alter_sys=True)
        return
    main = sys.modules["__main__"] = ModuleType("__main__")
    exec(compile(code, "<string>", "exec"), main.__dict__)


def status_of(request: dict[str, Any]) -> int:
    """Execute a request in a fork, and return its status, when all that Python does at its end is done.

    But for one thing: to free the modules would copy the memory that all forks share.
    """
    status = 0
    try:
        execute(request)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return status


if __name__ == "__main__":
    exec(sys.argv[2], {})
    asked = Forks(socket.socket(fileno=int(sys.argv[1]))).serve()
    if asked is not None:
        os._exit(status_of(asked) & 0xFF)
