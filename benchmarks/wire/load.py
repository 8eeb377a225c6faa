"""Load: N connections, each sending its next request as soon as it has the reply to the last.

The client is `load.c`, compiled on first use; it takes some 5 µs of processor time per request. Without a C compiler, a
Python client takes its place, which is slower than the fastest servers; the report names the client.
"""

import hashlib
import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

from benchmarks.wire import sockets
from benchmarks.wire.contestants import CACHE

SOURCE = Path(__file__).with_name("load.c")

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Load:
    """The result of a load run."""

    replies: int
    seconds: float
    failed: int
    """Number of replies with another status than 200."""

    @property
    def rate(self) -> float:
        """Replies per second."""
        return self.replies / self.seconds


def client_name() -> str:
    """The load client of this machine."""
    return "a client in C, one thread" if _compiled() else "a client in Python, as there is no C compiler"


def drive(address: Address, requests: Sequence[bytes], connections: int, seconds: float) -> Load:
    """Load the server for that many seconds."""
    program = _compiled()
    if program is None:
        return Load(*sockets.drive(address, requests, connections, seconds))
    with NamedTemporaryFile() as file:
        file.write(b"".join(b"%d\n%s" % (len(request), request) for request in requests))
        file.flush()
        command = [program, str(address[1]), str(connections), str(seconds), file.name]
        process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode != 0:
        raise RuntimeError(f"the load client failed at port {address[1]}: {process.stderr.strip()}")
    result = json.loads(process.stdout)
    return Load(result["replies"], result["seconds"], result["failed"])


@cache
def _compiled() -> str | None:
    """The path of the compiled client; None without a C compiler."""
    program = CACHE / f"load-{hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:12]}"
    if program.exists():
        return str(program)
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    CACHE.mkdir(parents=True, exist_ok=True)
    subprocess.run([compiler, "-D_GNU_SOURCE", "-O2", "-o", str(program), str(SOURCE)], check=True)
    return str(program)
