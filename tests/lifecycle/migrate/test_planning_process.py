"""A planning process ends with the run that started it, and leaves errors to that."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tablewright import connect, embedded, migrations
from tablewright.errors import MigrationError
from tablewright.lifecycle.integrity.fsck import check
from tests import forked_processes
from tests.lifecycle.migrate import planned_designs
from tests.lifecycle.migrate.planned_files import filled

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="several processes are not supported there")


DYING = """
import os, signal, sys
from tablewright import connect, embedded, migrations
from tablewright.lifecycle.migrate.planning_pool import PlanningPool
from tablewright.lifecycle.traversal.bulk_pages import BulkPages
from tests.lifecycle.migrate.planned_designs import prices

left, write, start = int(sys.argv[2]), BulkPages.write, PlanningPool.start

def dying(self, *given):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return write(self, *given)

def reported(self):
    start(self)
    print(*(each.process.pid for each in self.processes), flush=True)

BulkPages.write, PlanningPool.start = dying, reported
with embedded(sys.argv[1]) as connection:
    migrations.migrate(connect(prices, connection), processes=2)
"""


def test_a_killed_run_continues_and_leaves_no_processes(tmp_path: Path) -> None:
    path = tmp_path / "music.db"
    filled(path, planned_designs.prices, 600).close()
    environment = {**os.environ, "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{Path.cwd()}"}
    deaths = 0
    while True:
        command = [sys.executable, "-c", DYING, str(path), str(3 + deaths)]
        # The processes of the run inherit its output: the output ends when all of them have ended.
        run = forked_processes.run(command, env=environment, timeout=120)
        assert len(run.stdout.split()) == 2
        if run.returncode != -signal.SIGKILL:
            break
        deaths += 1
    assert (run.returncode, deaths >= 2) == (0, True), run.stderr
    with embedded(path) as connection:
        db = connect(planned_designs.prices, connection)
        (status,) = migrations.status(db)
        assert (status.status, status.state and status.state.tally.changed) == ("applied", 600)
        assert not check(db).findings
        items = connection.call("Scan", {"TableName": "music"})["Items"]
        assert {item["version"]["N"] for item in items if "version" in item} == {"2"}


def test_an_error_of_the_function_is_the_error_of_the_run(tmp_path: Path) -> None:
    with (
        filled(tmp_path / "music.db", planned_designs.endless, 30) as db,
        pytest.raises(MigrationError, match="changes an item again"),
    ):
        migrations.migrate(db, processes=2)
