"""Load: so many connections, each sending its next request as soon as it has the reply to the last.

By wrk where it is on the path (a Debian package of that name), which leaves the second core to the server. Without it,
by plain sockets here, which are slower than the fastest servers; the report names the client.
"""

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from benchmarks.wire import sockets

WRK = shutil.which("wrk")
SCRIPT = Path(__file__).with_name("requests.lua")

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Load:
    """The result of a load run."""

    rate: float
    """Requests a second."""
    failed: int
    """Number of replies with another status than 200."""


def driver() -> str:
    """The client that drives the load on this machine."""
    return "wrk, one thread" if WRK else "a Python client, as wrk is not installed"


def drive(address: Address, requests: Sequence[bytes], connections: int, seconds: int) -> Load:
    """Load the server for that many seconds."""
    if WRK is None:
        return Load(*sockets.drive(address, requests, connections, seconds))
    with NamedTemporaryFile() as file:
        file.write(b"".join(b"%d\n%s" % (len(request), request) for request in requests))
        file.flush()
        command = [WRK, "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", str(SCRIPT)]
        process = subprocess.run(
            [*command, "http://{}:{}/".format(*address), "--", file.name],
            capture_output=True,
            text=True,
            check=True,
        )
    result = json.loads(process.stdout.splitlines()[-1])
    return Load(result["requests"] / result["seconds"], result["failed"])
