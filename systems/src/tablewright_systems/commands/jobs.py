"""Run the background jobs of systems: reminders, expiry, sweeps, deliveries, workers.

`tablewright-systems up` runs them too. In production, run this command beside the APIs, in one process or several: each
job runs in one process at a time. A job of a process that was killed is continued by another one after a minute. A job
that fails is logged, and tried again with increasing delays. Ctrl-C or SIGTERM stops the command after the current
work of each job.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tablewright import Design, connect, errors, keyrings
from tablewright_systems.commands.arguments import (
    AWS,
    ENDPOINT,
    FILE,
    find_systems,
    location_argument,
    location_kind,
)
from tablewright_systems.commands.terminal import StopSignals, log_to_stderr, print_line, print_table, styled

if TYPE_CHECKING:
    from tablewright_systems.hosting import HostedSystems
    from tablewright_systems.service import JobRunner

NAME = "jobs"
SUMMARY = "run the background jobs of the systems"
EPILOG = """\
examples:
  tablewright-systems jobs --on http://127.0.0.1:8000 --keys tablewright.db.keys.json
                                                        run the jobs of all systems, beside `tablewright-systems up`
  tablewright-systems jobs listbackup --on aws:eu-north-1 --env main --keys arn:aws:kms:...
  tablewright-systems jobs boards --on app.db --once            run each due job once, for cron
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jobs`."""
    parser.add_argument("systems", metavar="SYSTEM", nargs="*", help="systems whose jobs run (default: all)")
    location_argument(parser, FILE, ENDPOINT, AWS)
    parser.add_argument("--env", metavar="ENV", help="value of {env} in table names")
    parser.add_argument("--prefix", metavar="TEXT", default="", help="prefix of all table names")
    parser.add_argument(
        "--keys", metavar="FILE", help="master keys of encrypted fields: a key file, or the ARN of a KMS key"
    )
    parser.add_argument("--once", action="store_true", help="run each job that is due once, and stop")


def run(options: argparse.Namespace) -> int:
    """Run jobs until stopped; with --once, the exit code is 1 if a job fails."""
    chosen = find_systems(options.systems)
    from tablewright_systems.hosting import HostedSystems

    is_file = location_kind(options.on) == FILE
    data = Path(options.on).expanduser().resolve()
    if is_file and not data.exists():  # opening it would create an empty one
        raise errors.UsageError(f"data file {options.on} does not exist; give another location with --on")
    log_to_stderr()
    with connect(Design("empty"), data if is_file else options.on) as store:
        systems = HostedSystems(
            store.connection,
            _secrets(options),
            chosen,
            environment=options.env,
            prefix=options.prefix,
            create=False,
        )
        _require_tables(systems, options.on)
        if options.once:
            return _run_once(systems.job_runner())
        _run_until_stopped(systems)
    return 0


def _secrets(options: argparse.Namespace) -> keyrings.Keyring | None:
    """Return the master keys; those of a data file are stored beside it."""
    if options.keys is not None:
        is_kms = options.keys.startswith("arn:")
        return keyrings.KmsKey(options.keys) if is_kms else keyrings.KeyFile(options.keys)
    if location_kind(options.on) != FILE:
        return None
    from tablewright_systems.hosting import keys_for

    return keys_for(Path(options.on).expanduser().resolve())


def _require_tables(systems: "HostedSystems", location: str) -> None:
    for name, db in systems.repositories.items():
        for table in db.design.tables:
            try:
                db.connection.call("DescribeTable", {"TableName": db.context.table_name(table)})
            except errors.ResourceNotFound:
                raise errors.UsageError(
                    f"table {db.context.table_name(table)!r} does not exist at {location}; create it with: "
                    f"tablewright deploy tablewright_systems.{name}.design:design, "
                    "or start the systems with: tablewright-systems up"
                ) from None


def _run_once(runner: "JobRunner") -> int:
    ran = set(runner.run_due())
    failed = [job for job in runner.jobs if job.name in ran and job.last_error]
    print_table(
        ("JOB", "RESULT"),
        [
            (job.name, "not due" if job.name not in ran else "failed" if job in failed else "done")
            for job in runner.jobs
        ],
    )
    for job in failed:
        print(styled(f"{job.name}: {job.last_error}", "red"), file=sys.stderr)
    return 1 if failed else 0


def _run_until_stopped(systems: "HostedSystems") -> None:
    signals = StopSignals()
    with systems.running_jobs() as runner:
        print_table(("JOB", "EVERY"), [(job.name, str(job.every)) for job in runner.jobs])
        print_line("\nPress Ctrl-C to stop.")
        signals.wait()
