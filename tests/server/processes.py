"""A server in its own process, which runs what a user starts."""

import json
import os
import signal
import subprocess
import sys
from types import TracebackType
from typing import Self

from tests.forked_processes import ForkedProcess


class ServerProcess:
    """`tablewright serve` on a free port, from entering until leaving."""

    def __init__(self, *options: str, planted: str = "", forked: bool = True) -> None:
        """`planted` is Python code that plants a bug in the server, to show that a check finds it.

        A server that is not `forked` has the memory of one that a user starts.
        """
        start = ["-c", f"{planted}\nimport sys, tablewright.cli\nsys.exit(tablewright.cli.main())"]
        module = start if planted else ["-m", "tablewright"]
        # A bug is planted before the modules are imported.
        self._kind = ForkedProcess if forked and not planted else subprocess.Popen[str]
        self._command = [sys.executable, *module, "serve", "--port", "0", "--json", *options]
        self._process: subprocess.Popen[str]
        self.url = ""

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").rpartition(":")
        return host.strip("[]"), int(port)

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        self._process = self._kind(
            self._command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self._process.stdout is not None
        announced = self._process.stdout.readline()
        if not announced:
            raise AssertionError(f"the server did not start: {self._process.communicate()[1]}")
        self.url = json.loads(announced)["endpoint"]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def signal(self, number: signal.Signals = signal.SIGTERM) -> None:
        self._process.send_signal(number)

    def wait(self) -> tuple[int, str]:
        """The exit code, and what was written to standard error."""
        _, errors = self._process.communicate(timeout=30)
        return self._process.returncode, errors

    def stop(self) -> None:
        if self._process.returncode is None:
            self.signal()
            self.wait()
