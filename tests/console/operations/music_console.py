"""A console of a small design with migrations, recovery and expiry, for tests of operations."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tablewright import Clock, connect
from tablewright.console.open_designs import OpenDesign
from tests.console.sample_console import ConsoleClient
from tests.lifecycle.albums import ARTISTS, PRICES, album, designed

NOW = 1_800_000_000.0


@contextmanager
def music(albums: int = 5, path: Path | None = None, **options: Any) -> Iterator[OpenDesign]:
    """Open the design with some albums, on a clock that stands still."""
    db = connect(designed(PRICES, ARTISTS), path, clock=Clock(start=NOW))
    for number in range(albums):
        db.put(album(number))
    opened = OpenDesign(
        db, "Music", "memory", "tests.lifecycle.albums:design", **({"writable": True} | options)
    )
    try:
        yield opened
    finally:
        opened.close()


@contextmanager
def music_client(albums: int = 5, path: Path | None = None, **options: Any) -> Iterator[ConsoleClient]:
    """Open a client of the console of that design."""
    with music(albums, path, **options) as opened:
        yield ConsoleClient(opened)
