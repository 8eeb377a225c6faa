"""Data files with albums, for the tests of planning processes."""

from pathlib import Path

from tablewright import Clock, Design, Repository, connect, embedded
from tests.lifecycle.albums import album, designed
from tests.lifecycle.traversal.test_bulk_pages import random_albums

NOW = 4_000_000_000.0


def file_of_albums(path: Path, seed: int) -> Path:
    """A data file with albums in many states."""
    with random_albums(seed) as memory, embedded(path, durability="relaxed", clock=Clock(start=NOW)) as made:
        connect(designed(), made, create=True)
        for item in memory.call("Scan", {"TableName": "music"})["Items"]:
            made.call("PutItem", {"TableName": "music", "Item": item})
    return path


def filled(path: Path, design: Design, count: int) -> Repository:
    db = connect(design, embedded(path, durability="relaxed"), create=True)
    for number in range(count):
        db.create(album(number))
    return db
