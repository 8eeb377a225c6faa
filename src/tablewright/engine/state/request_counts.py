"""Request counts: how many requests a database has executed, by operation, since counting started."""

import threading
from collections.abc import Callable
from typing import Any


class RequestCounts:
    """The number of requests by operation, failed ones included."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def current(self) -> dict[str, int]:
        """Return the counts."""
        with self._lock:
            return dict(self._counts)

    def counted(self, execute: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        """Return a function that counts a request, then executes it."""

        def count_and_execute(operation: str, *request: Any, **options: Any) -> dict[str, Any]:
            with self._lock:
                self._counts[operation] = self._counts.get(operation, 0) + 1
            return execute(operation, *request, **options)

        return count_and_execute
