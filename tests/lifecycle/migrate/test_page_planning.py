"""Pages that other processes plan have the same result as pages that one process plans."""

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tablewright import Clock, Design, connect, embedded, migrations
from tests.lifecycle.migrate import planned_designs
from tests.lifecycle.migrate.planned_files import NOW, file_of_albums
from tests.lifecycle.traversal.test_bulk_pages import stored

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="several processes are not supported there")


def outcome(path: Path, design: Design, processes: int, down: bool) -> list[Any]:
    """The counts, rejects and items after a run, and after its way back."""
    found: list[Any] = []
    with embedded(path, durability="relaxed", clock=Clock(start=NOW)) as connection:
        db = connect(design, connection)
        for back in (False, True) if down else (False,):
            # One segment: the order decides which of two albums gets a title, and which copies a pass sees.
            results = migrations.migrate(
                db, down=back, allow_incomplete=True, segments=1, processes=processes
            )
            for result in results:
                rejects = sorted((str(reject.key), reject.reason) for reject in result.rejects)
                found.append((result.tally.seen, result.tally.changed, rejects))
            found.append(stored(connection))
    return found


@pytest.mark.parametrize("name", ["prices", "artists", "keys", "removals", "rewrite", "table", "followed"])
def test_random_items_have_the_same_result(tmp_path: Path, name: str) -> None:
    one = file_of_albums(tmp_path / "one.db", 1)
    other = tmp_path / "other.db"
    shutil.copy(one, other)
    design = getattr(planned_designs, name)
    down = name == "prices"
    assert outcome(other, design, 2, down) == outcome(one, design, 1, down)
