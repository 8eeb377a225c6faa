"""Kill a worker with SIGKILL before each of its effects in turn, and let the next worker finish the job.

python -m systems.tests.listbackup.worker.killed_worker FOLDER STEP
python -m systems.tests.listbackup.worker.killed_worker FOLDER STEP again

With "again", every worker of one job is killed after about STEP effects, until one finishes the job.

An effect is a write to the database, a file, or a write to the platform; a worker is killed before and after it. Each
worker is a forked process on a data file. Prints one line of JSON for each kill: what the finished job has produced.
"""

import json
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tablewright_systems.listbackup.archives.object_store import Folder
from tablewright_systems.listbackup.design import design
from tablewright_systems.listbackup.design.jobs import Job, JobConfig, JobStatus, JobType
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceConfig
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.platforms.protocol import Record, RecordPage, Restore, Selection
from tablewright_systems.listbackup.proofs.fixtures import new_owner
from tablewright_systems.listbackup.service import archives, jobs, queue, sources
from tablewright_systems.listbackup.service.access import get_account
from tablewright_systems.listbackup.service.archives import BackupReader
from tablewright_systems.listbackup.service.backups import verify_archive
from tablewright_systems.listbackup.worker.worker import Worker
from tablewright_systems.service import Caller

from tablewright import Clock, Repository, connect, keyrings
from tablewright.connections import Embedded

START = 1_790_000_000
DATA_TYPES = {"contacts": 7, "orders": 4}
PAGE_SIZE = 2
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"}


class Killer:
    """Kills this process at the effect with a number; counts effects."""

    def __init__(self, at: int) -> None:
        self.at, self.count = at, 0

    def point(self) -> None:
        self.count += 1
        if self.count == self.at:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, act: Callable[..., Any]) -> Callable[..., Any]:
        def acted(*values: Any) -> Any:
            self.point()
            result = act(*values)
            self.point()
            return result

        return acted


@contextmanager
def killing_at_writes(killer: Killer) -> Iterator[None]:
    """Make each write to the database an effect."""
    call: Any = Embedded.call

    def call_or_die(self: Embedded, operation: str, request: dict[str, Any]) -> Any:
        act = killer.around(call) if operation in WRITES else call
        return act(self, operation, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Embedded, "call", call_or_die)
        yield


class Platform:
    """A platform whose records never change, and which notes each write in a file."""

    data_types = tuple(DATA_TYPES)

    def __init__(self, log: Path) -> None:
        self.log = log

    def open_reader(self, *values: Any) -> "Platform":
        return self

    def read(self, data_type: str, selection: Selection, position: str | None = None) -> RecordPage:
        first = int(position or 0)
        last = min(first + PAGE_SIZE, DATA_TYPES[data_type])
        records = [Record(f"{data_type}-{n}", None, {"number": n}) for n in range(first, last)]
        return RecordPage(records, str(last) if last < DATA_TYPES[data_type] else None)

    def write(self, data_type: str, record: Record, restore: Restore) -> str:
        with self.log.open("a") as file:
            file.write(f"{record.id}\n")
        return record.id


def in_child(act: Callable[[], None]) -> bool:
    """Run a function in a forked process; return whether it ended by itself."""
    child = os.fork()
    if child == 0:
        try:
            act()
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        sys.stdout.flush()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return False
    assert os.WEXITSTATUS(status) == 0, "a worker failed"
    return True


class Trial:
    """One job in its own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = Folder(folder / "archives")

    def open(self, clock: Clock) -> Repository:
        keys = keyrings.KeyFile(self.folder / "keys.json")
        return connect(
            design,
            str(self.folder / "data.db"),
            environment="main",
            clock=clock,
            secrets=keys,
            create=not (self.folder / "job.json").exists(),
        )

    def prepare(self) -> None:
        self.folder.mkdir()
        keyrings.KeyFile.create(self.folder / "keys.json")
        with self.open(Clock(START)) as db:
            caller, account = new_owner(db)
            one, other = (self._source(db, caller, account.account_id) for _ in range(2))
            job = jobs.create_job(
                db,
                caller,
                account.account_id,
                JobType.MIGRATION,
                source_id=one.source_id,
                config=JobConfig(options={"targetSourceId": other.source_id}),
            )
            (self.folder / "job.json").write_text(json.dumps([job.account_id, job.job_id]))

    def work(self, kill_at: int, attempt: int) -> None:
        killer = Killer(kill_at)
        store: Any = Folder(self.folder / "archives")
        platform: Any = Platform(self.folder / "written")
        store.put = killer.around(store.put)
        platform.write = killer.around(platform.write)
        clock = Clock(START + attempt * 2 * queue.LEASE.length.total_seconds())
        with killing_at_writes(killer), self.open(clock) as db:
            Worker(db, store, platform, chunk_records=3).run()

    def report(self) -> None:
        """Print what the job has produced."""
        account_id, job_id = json.loads((self.folder / "job.json").read_text())
        with self.open(Clock(START + 10**6)) as db:
            job = jobs.get_job(db, account_id, job_id)
            sys.stdout.write(f"{json.dumps(self._described(db, job))}\n")

    def _described(self, db: Repository, job: Job) -> dict[str, Any]:
        if job.status is not JobStatus.COMPLETED or job.result is None:
            return {"status": job.status.value, "result": str(job.result)}
        archive = archives.get_archive(db, job.account_id, job.result.summary["archiveId"])
        reader, manifest = (
            BackupReader(db, self.store, archive),
            archives.open_files(self.store, archive).read_manifest(),
        )
        files = [path for path in (self.folder / "archives").rglob("*") if path.is_file()]
        written = Counter((self.folder / "written").read_text().split())
        return {
            "status": job.status.value,
            "attempts": job.retry_count + 1,
            "processed": job.result.records_processed,
            "counts": archive.counts,
            "listed": sum(chunk.records for chunk in manifest.chunks),
            "records": {name: [record.id for record in reader.records(name)] for name in DATA_TYPES},
            "problems": verify_archive(db, self.store, archive).problems,
            "unlisted": len(files) - len(manifest.chunks) - 1,
            "storage": get_account(db, job.account_id).storage_used
            - sum(chunk.size for chunk in manifest.chunks),
            "written": len(written),
            "repeated": sum(written.values()) - len(written),
        }

    def _source(self, db: Repository, caller: Caller, account_id: str) -> Source:
        return sources.create_source(
            db,
            caller,
            account_id,
            source_name="shop",
            platform="keap",
            connection_type=ConnectionType.APIKEY,
            credentials=Credentials(type="apikey", encrypted_data="key"),
            config=SourceConfig(data_types=list(DATA_TYPES)),
        )


def kill_again(folder: Path, step: int) -> None:
    """Kill every worker of one job, after `step` points or one more, until one is not killed."""
    trial = Trial(folder / "prepared")
    in_child(trial.prepare)
    kills = 0
    while not in_child(partial(trial.work, step + kills % 2, kills)):
        kills += 1
    sys.stdout.write(f"{kills}\n")
    sys.stdout.flush()
    in_child(trial.report)


def main(folder: Path, step: int) -> None:
    """Kill a worker at each point, `step` points apart, until one is not killed."""
    in_child(Trial(folder / "prepared").prepare)
    kill_at, is_killed = 1, True
    while is_killed:
        trial = Trial(folder / f"{kill_at}")
        shutil.copytree(folder / "prepared", trial.folder)
        is_killed = not in_child(lambda: trial.work(kill_at, 0))  # noqa: B023 - called at once
        if is_killed:
            in_child(lambda: trial.work(0, 1))  # noqa: B023 - called at once
        in_child(trial.report)
        kill_at += step


if __name__ == "__main__":
    (kill_again if "again" in sys.argv else main)(Path(sys.argv[1]), int(sys.argv[2]))
