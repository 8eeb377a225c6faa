"""The event loop of the server: uvloop, and asyncio's own on Windows."""

import sys
from collections.abc import Coroutine
from typing import Any


def run_loop(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine in a new event loop."""
    if sys.platform == "win32":  # pragma: no cover - uvloop does not support Windows
        from asyncio import run
    else:
        from uvloop import run
    run(main)
