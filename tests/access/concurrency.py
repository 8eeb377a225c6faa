"""Run one call many times at once: in threads, or as tasks of an async repository."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any


def together(db: Any, count: int, call: Callable[[Any], Any]) -> list[Any]:
    """Return the results of a call with the repository behind the `db` fixture."""
    repository = getattr(db, "_repository", None)
    if repository is None:
        return _in_threads(count, lambda: call(db))

    async def gather() -> list[Any]:
        return await asyncio.gather(*(call(repository) for _ in range(count)))

    found: list[Any] = db._runner.run(gather())
    return found


def _in_threads(count: int, call: Callable[[], Any]) -> list[Any]:
    barrier = Barrier(count)

    def begin(_: int) -> Any:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))
