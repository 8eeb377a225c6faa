"""Run every access pattern and flow of the five systems, in memory or at any location, and check the results.

Each row is a requirement of a system, by its number in REQUIREMENTS.md: the index that was used, the items that were
read or written, the consumed capacity, the number of rejections that the check has shown, and the result. At an
endpoint, the command creates tables with the prefix `verify-` and deletes them at the end. The exit code is 1 if a
check fails.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich.table import Column
from rich.text import Text

from tablewright_systems.commands.arguments import (
    AWS,
    ENDPOINT,
    FILE,
    MEMORY,
    find_systems,
    location_argument,
)
from tablewright_systems.commands.terminal import print_line, print_table, progress, styled

if TYPE_CHECKING:
    from tablewright_systems.registry import System
    from tablewright_systems.verification.proof_runner import ProofResult

NAME = "verify"
SUMMARY = "run and check every access pattern and flow of the five systems"
EPILOG = """\
examples:
  tablewright-systems verify                                  verify all systems, in memory
  tablewright-systems verify boards student_hub --on app.db   verify two systems, in a new file
  tablewright-systems verify --on http://127.0.0.1:8000       verify all systems at an endpoint
  tablewright-systems verify --on aws:eu-north-1              verify all systems in your AWS account
"""

_COLUMNS = (
    Column("REQUIREMENT", no_wrap=True),
    Column("PATTERN"),  # rich narrows these where the terminal is too narrow
    Column("INDEX"),
    Column("ITEMS", justify="right", no_wrap=True),
    Column("CAPACITY", justify="right", no_wrap=True),
    Column("REJECTED", justify="right", no_wrap=True),
    Column("RESULT", no_wrap=True),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `verify`."""
    parser.add_argument("systems", metavar="SYSTEM", nargs="*", help="systems to verify (default: all)")
    location_argument(parser, FILE, ENDPOINT, AWS, MEMORY, default=MEMORY)
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def run(options: argparse.Namespace) -> int:
    """Run the proofs; the exit code is 1 if one fails."""
    systems = find_systems(options.systems)
    results = list(_run(systems, None if options.on == MEMORY else options.on))
    if options.json:
        print_line(json.dumps([_data(result) for result in results], indent=2))
    else:
        _print(results)
    return 0 if all(result.is_ok for result in results) else 1


def _run(systems: "list[System]", location: str | None) -> "Iterator[ProofResult]":
    from tablewright_systems.verification.proof_runner import proof_context, verify

    total = sum(len(system.proofs) for system in systems)
    with progress(total, "checks") as advance:
        for system in systems:
            with proof_context(system, location) as context:
                for proof in system.proofs:
                    advance(f"{system.name} {proof.number}", count=0)
                    result = verify(system, context, proof)
                    advance(f"{system.name} {proof.number}")
                    yield result


def _data(result: "ProofResult") -> dict[str, Any]:
    proof, measure = result.proof, result.measurement
    return {
        "system": result.system,
        "number": proof.number,
        "pattern": proof.title,
        "operations": measure.operations,
        "indexes": measure.indexes,
        "items": measure.items,
        "capacity": measure.capacity,
        "rejections": measure.rejections,
        "ok": result.is_ok,
        "failure": result.failure,
    }


def _print(results: "Sequence[ProofResult]") -> None:
    for system, group in groupby(results, key=lambda result: result.system):
        print_line(styled(f"\n{system}", "bold"))
        print_table(_COLUMNS, (_row(result) for result in group))
    failed = [result for result in results if not result.is_ok]
    rejections = sum(len(result.measurement.rejections) for result in results)
    print_line(f"\n{len(results) - len(failed)} of {len(results)} passed, {rejections} rejections shown")
    for result in failed:
        print(styled(f"{result.system} {result.proof.number}: {result.failure}", "red"), file=sys.stderr)


def _row(result: "ProofResult") -> tuple[Text | str, ...]:
    proof, measure = result.proof, result.measurement
    return (
        proof.number,
        _cut(proof.title),
        _cut(", ".join(measure.indexes) or "-"),
        str(measure.items),
        f"{measure.capacity:g}",
        str(len(measure.rejections) or "-"),
        Text("ok", "green") if result.is_ok else Text("FAILED", "red"),
    )


def _cut(text: str) -> Text:
    """Return a cell that is cut off, not wrapped."""
    return Text(text, no_wrap=True, overflow="ellipsis")
