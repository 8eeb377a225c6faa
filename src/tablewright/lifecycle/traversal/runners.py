"""Runners: the processes that do long work, by name, and whether they still run."""

import os
import secrets
import socket
import sys


def runner_name() -> str:
    """Return a name for this process: its host, its number, and random letters."""
    return f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(4)}"


def may_run(runner: str) -> bool:
    """Whether a runner may still run; of a runner on this machine, ask the operating system.

    >>> may_run(runner_name())
    True
    """
    host, _, rest = runner.partition("/")
    pid = rest.partition("/")[0]
    if not pid.isdecimal():
        return False
    if host != socket.gethostname() or sys.platform == "win32":  # on Windows, os.kill ends the process
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # the process exists and belongs to another user
    return True
