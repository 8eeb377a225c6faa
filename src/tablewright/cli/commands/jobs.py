"""Run the background jobs of systems: reminders, expiry, sweeps, deliveries, workers.

`tablewright up` runs them too. In production, run this command beside the APIs, in one process or several: each job
runs in one process at a time. A job of a process that was killed is continued by another one after a minute. A job
that fails is logged, and tried again with increasing delays. Ctrl-C or SIGTERM stops the command after the current
work of each job.
"""

import argparse
import signal
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tablewright.cli.arguments import keys_argument, location_argument, location_kind, table_name_arguments
from tablewright.cli.data_locations import keyring, open_tables
from tablewright.cli.output import Column, print_line, print_table, red
from tablewright.cli.systems import find_systems
from tablewright.errors import ResourceNotFound, UsageError

if TYPE_CHECKING:
    from tablewright_systems.hosting import HostedSystems
    from tablewright_systems.service import JobRunner

    from tablewright.access.encryption.keyrings import Keyring

NAME = "jobs"
_SIGNAL_INTERVAL = 0.2
"""Seconds between two looks at the received signals."""
SUMMARY = "run the background jobs of the systems"
EPILOG = """\
examples:
  tablewright jobs --on http://127.0.0.1:8000 --keys tablewright.db.keys.json
                                                        run the jobs of all systems, beside `tablewright up`
  tablewright jobs listbackup --on aws:eu-north-1 --env main --keys arn:aws:kms:...
  tablewright jobs boards --on app.db --once            run each due job once, for cron
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jobs`."""
    parser.add_argument("systems", metavar="SYSTEM", nargs="*", help="systems whose jobs run (default: all)")
    location_argument(parser)
    table_name_arguments(parser)
    keys_argument(parser)
    parser.add_argument("--once", action="store_true", help="run each job that is due once, and stop")


def run(options: argparse.Namespace) -> int:
    """Run jobs until stopped; with --once, the exit code is 1 if a job fails."""
    found = find_systems(options.systems)
    from tablewright_systems.hosting import HostedSystems

    from tablewright.server import log_to_stderr

    log_to_stderr()
    with closing(open_tables(options.on)) as connection:
        secrets = _secrets(options)
        systems = HostedSystems(
            connection, secrets, found, environment=options.env, prefix=options.prefix, create=False
        )
        _require_tables(systems, options.on)
        if options.once:
            return _run_once(systems.job_runner())
        _run_until_stopped(systems)
    return 0


def _secrets(options: argparse.Namespace) -> "Keyring | None":
    """Return the master keys; those of a data file are stored beside it."""
    if options.keys is None and location_kind(options.on) == "file":
        from tablewright_systems.hosting import keys_for

        return keys_for(Path(options.on).expanduser().resolve())
    return keyring(options.keys)


def _require_tables(systems: "HostedSystems", location: str) -> None:
    for name, db in systems.repositories.items():
        for table in db.design.tables:
            try:
                db.connection.call("DescribeTable", {"TableName": db.context.table_name(table)})
            except ResourceNotFound:
                raise UsageError(
                    f"table {db.context.table_name(table)!r} does not exist at {location}; create it with: "
                    f"tablewright deploy tablewright_systems.{name}.design:design, "
                    "or start the systems with: tablewright up"
                ) from None


def _run_once(runner: "JobRunner") -> int:
    ran = set(runner.run_due())
    failed = [job for job in runner.jobs if job.name in ran and job.last_error]
    print_table(
        (Column("JOB"), Column("RESULT")),
        [
            (job.name, "not due" if job.name not in ran else "failed" if job in failed else "done")
            for job in runner.jobs
        ],
    )
    for job in failed:
        print(red(f"{job.name}: {job.last_error}"), file=sys.stderr)
    return 1 if failed else 0


def _run_until_stopped(systems: "HostedSystems") -> None:
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: signals.append(number))
    with systems.running_jobs() as runner:
        print_table((Column("JOB"), Column("EVERY")), [(job.name, str(job.every)) for job in runner.jobs])
        print_line("\nPress Ctrl-C to stop.")
        # Python runs the handler when this thread wakes up: one that waits for a lock may never do so.
        while not signals:
            time.sleep(_SIGNAL_INTERVAL)
