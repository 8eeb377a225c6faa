"""Prove that every access pattern and flow of the systems works, here or on any DynamoDB endpoint.

Each line of the table is one line of a design document: the index it used, the items it read or wrote, the capacity
that took, and whether it holds. At an endpoint, tables whose names begin with `verify-` are made for it, and deleted
afterwards.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tablewright.cli.commands.up import require_systems
from tablewright.cli.output import Progress, bold, faint, green, red, say
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright_systems.proof_runner import ProofResult
    from tablewright_systems.registry import System

# Columns: number, line, items, capacity and verdict, with the gaps between them.
BESIDE_TITLE = 47

NAME = "verify"
SUMMARY = "prove every access pattern and flow of the five systems"
EPILOG = """\
examples:
  tablewright verify                                  all five, in memory
  tablewright verify boards student_hub --on app.db   two of them, in a new file
  tablewright verify --on http://127.0.0.1:8000       at any DynamoDB endpoint
  tablewright verify --on aws:eu-north-1              in your AWS account
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `verify` understands."""
    parser.add_argument("systems", metavar="SYSTEM", nargs="*", help="which of them (all)")
    parser.add_argument("--on", metavar="PLACE", help="a new file, http://..., or aws:region (memory)")
    parser.add_argument("--json", action="store_true", help="print the verdicts as JSON")


def run(options: argparse.Namespace) -> int:
    """Run the proofs; 1 if any fails."""
    chosen = _chosen(options.systems)
    verdicts = list(_verdicts(chosen, options.on))
    if options.json:
        say(json.dumps([_shown(verdict) for verdict in verdicts], indent=2))
    else:
        _print(verdicts)
    return 0 if all(verdict.is_ok for verdict in verdicts) else 1


def _chosen(names: list[str]) -> "list[System]":
    require_systems()
    from tablewright_systems.registry import SYSTEMS

    known = {system.name: system for system in SYSTEMS}
    for name in names:
        if name not in known:
            raise UsageError(f"there is no system {name}; there are: {', '.join(known)}")
    return [known[name] for name in names] or list(SYSTEMS)


def _verdicts(systems: "list[System]", where: str | None) -> "Iterator[ProofResult]":
    from tablewright_systems.proof_runner import proof_context, verify

    total = sum(len(system.proofs) for system in systems)
    with Progress(total, "proofs") as progress:
        for system in systems:
            with proof_context(system, where) as stage:
                for proof in system.proofs:
                    progress.step(f"{system.name} {proof.number}")
                    yield verify(system, stage, proof)


def _shown(verdict: "ProofResult") -> dict[str, Any]:
    proof, measure = verdict.proof, verdict.measure
    return {
        "system": verdict.system,
        "number": proof.number,
        "line": proof.line,
        "pattern": proof.title,
        "operations": measure.operations,
        "indexes": measure.indexes,
        "items": measure.items,
        "capacity": measure.capacity,
        "ok": verdict.is_ok,
        "failure": verdict.failure,
    }


def _print(verdicts: "Iterable[ProofResult]") -> None:
    found = list(verdicts)
    reach = max((len(_indexes(verdict)) for verdict in found), default=0)
    room = shutil.get_terminal_size((120, 24)).columns - reach - BESIDE_TITLE
    width = max(20, min(room, max((len(verdict.proof.title) for verdict in found), default=0)))
    last = None
    for verdict in found:
        if verdict.system != last:
            last = verdict.system
            say(
                bold(f"\n{last}\n{'':6}{'PATTERN':<{width}}  LINE      {'INDEX':<{reach}}  ITEMS  CAPACITY  ")
            )
        say(_line(verdict, width, reach))
    failed = [verdict for verdict in found if not verdict.is_ok]
    say(f"\n{len(found) - len(failed)} of {len(found)} hold")
    for verdict in failed:
        print(red(f"{verdict.system} {verdict.proof.number}: {verdict.failure}"), file=sys.stderr)


def _line(verdict: "ProofResult", width: int, reach: int) -> str:
    proof, measure = verdict.proof, verdict.measure
    told = green("ok") if verdict.is_ok else red("FAILED")
    title, line = _cropped(proof.title, width), faint(f"{proof.line:<8}")
    return (
        f"{proof.number:<6}{title:<{width}}  {line}  {_indexes(verdict):<{reach}}  "
        f"{measure.items:>5}  {measure.capacity:>8g}  {told}"
    )


def _cropped(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _indexes(verdict: "ProofResult") -> str:
    return ", ".join(verdict.measure.indexes) or "-"
