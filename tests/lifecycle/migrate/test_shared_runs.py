"""Several processes share one migration; when one is killed, the others take its segments over."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tablewright import connect
from tablewright.connections.remote import Remote
from tests.forked_processes import ForkedProcess
from tests.server.processes import ServerProcess

PARTS = 120
DESIGN = """
from typing import Annotated
from tablewright import Copy, Design, Entity, Keys, Table, fields, migrations

parts = Table("parts", ("PK", "SK"))

class Part(Entity, table=parts, type="PART"):
    part_id: str
    name: Annotated[str, fields.Unique()]
    price: int | str
    version: Annotated[int, fields.Version()] = 0
    keys = Keys(primary=("PART#{part_id}", "PART"))
    shelf = Copy(primary=("SHELF", "PART#{part_id}"), fields=("part_id", "price"))

def number(item):
    return item | {"price": int(item["price"])}

design = Design("parts", entities=[Part], migrations=[migrations.Migration("prices", Part, number)])
"""


class Shared:
    """A server with parts, and runs of the migration in processes of their own."""

    def __init__(self, server: ServerProcess, folder: Path) -> None:
        self.connection = Remote("us-east-1", server.url)
        self._folder = folder
        self._url = server.url

    def start(self, *options: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "tablewright", "migrate", "parts_design:design", "--on", self._url]
        return ForkedProcess(
            [*command, *options],
            cwd=self._folder,
            env={**os.environ, "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{self._folder}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def items(self) -> list[dict[str, Any]]:
        return list(self.connection.call("Scan", {"TableName": "parts", "ConsistentRead": True})["Items"])

    def converted(self) -> int:
        return sum("version" in item and "N" in item["price"] for item in self.items())

    def runners(self) -> set[str]:
        """The processes that work on segments or have done so."""
        try:
            items = self.connection.call("Scan", {"TableName": "parts-migrations"})["Items"]
        except Exception:
            return set()
        found = {item["runner"]["S"] for item in items if item["place"]["S"].startswith("pass/")}
        return {runner.split("/")[-2] for runner in found}

    def wait_until(self, condition: Any) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, "the condition was not met"


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "parts_design.py").write_text(DESIGN)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("parts_design", None)
    import parts_design  # type: ignore[import-not-found]

    with ServerProcess("--on", "memory") as server:
        made = Shared(server, tmp_path)
        db = connect(parts_design.design, made.connection, create=True)
        for number in range(PARTS):
            db.put(parts_design.Part(part_id=f"{number:03}", name=f"n{number}", price=str(number)))
        yield made
        made.connection.close()


def assert_converted_once(shared: Shared) -> None:
    mains = [item for item in shared.items() if "version" in item]
    assert len(mains) == PARTS
    assert {item["version"]["N"] for item in mains} == {"2"}, "an item was written twice, or not at all"
    assert all("N" in item["price"] for item in shared.items() if "price" in item)


def test_two_processes_share_a_run(shared: Shared) -> None:
    options = ("--segments", "12", "--workers", "1", "--rate", "150")
    first = shared.start(*options)
    shared.wait_until(lambda: shared.converted() >= 3)
    second = shared.start(*options)
    shared.wait_until(lambda: len(shared.runners()) == 2)
    outputs = [process.communicate(timeout=120) for process in (first, second)]
    assert [process.returncode for process in (first, second)] == [0, 0], outputs
    assert all(f"{PARTS:,} of {3 * PARTS:,} items changed" in output for output, _ in outputs)
    assert_converted_once(shared)


def test_a_killed_process_is_replaced_by_the_other(shared: Shared) -> None:
    options = ("--segments", "12", "--workers", "2", "--rate", "150")
    first, second = shared.start(*options), shared.start(*options)
    shared.wait_until(lambda: len(shared.runners()) == 2)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert shared.converted() < PARTS, "the process was killed in the middle of its work"
    output, errors = second.communicate(timeout=120)
    assert second.returncode == 0, errors
    assert f"of {3 * PARTS:,} items changed" in output  # the killed process has not counted its last page
    assert_converted_once(shared)
