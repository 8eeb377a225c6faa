"""Nothing but the storage is used inside of a write transaction: no sockets, no files, no waiting, no processes.

Other writers wait for a write transaction. The guard sees what Python itself reports (`sys.addaudithook`). SQLite's own
file calls are not reported, and imports are allowed: a module is loaded once.
"""

import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

FORBIDDEN = (
    "open",
    "os.listdir",
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.scandir",
    "socket.connect",
    "socket.getaddrinfo",
    "socket.sendto",
    "subprocess.Popen",
)
_IMPORTED = (".py", ".pyc", ".so")


class _Guard(threading.local):
    is_writing = False


_guard = _Guard()
_installed: list[bool] = []


def guarded(work: Callable[[Any], T]) -> Callable[[Any], T]:
    """The work of a write transaction; it fails when it uses anything but the storage."""

    def run(rows: Any) -> T:
        before, _guard.is_writing = _guard.is_writing, True
        try:
            return work(rows)
        finally:
            _guard.is_writing = before

    return run


def guarded_sleep(sleep: Callable[[float], None]) -> Callable[[float], None]:
    """`time.sleep`, which Python 3.11 does not report."""

    def call(seconds: float) -> None:
        assert not _guard.is_writing, "time.sleep inside of a write transaction"
        sleep(seconds)

    return call


def install() -> None:
    """Watch this process; a hook cannot be removed again."""
    if not _installed:
        _installed.append(True)
        sys.addaudithook(_watch)


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if not _guard.is_writing or event not in FORBIDDEN:
        return
    if event == "open" and (
        isinstance(arguments[0], int)
        or str(arguments[0]).endswith(_IMPORTED)
        or "__pycache__" in str(arguments[0])
    ):
        return
    if event == "os.listdir" and "importlib" in sys._getframe(1).f_code.co_filename:
        return
    raise AssertionError(f"{event} {arguments} inside of a write transaction")
