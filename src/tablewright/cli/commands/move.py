"""Move the tables of a design to another store while programs write.

The command creates the tables at the target, copies all items, and applies the changes that the streams of the source
tell. Then it compares both sides, and follows changes until it is stopped. After an interruption, run the command
again: it continues.

To switch, stop the programs that write to the source, run the command with --switch-to target, and start the programs
at the target. From then on the changes of the target are applied to the source, as a way back: --switch-to source.

Streams are enabled on both sides where they are not. A data file can be opened by one process only: to move a file that
a program uses, serve it with `tablewright serve`, or use tablewright.lifecycle.move in the program.
"""

import argparse
import os
import sys
import time
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from tablewright.cli.arguments import (
    LASTING,
    design_argument,
    json_argument,
    location_type,
    rate_argument,
    table_name_arguments,
)
from tablewright.cli.data_locations import load_named_design, require_data_file
from tablewright.cli.output import count, green, print_json, print_line, red, yellow
from tablewright.cli.progress import ItemProgress
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.lifecycle.move.comparison import MoveComparison
    from tablewright.lifecycle.move.move_run import MoveProgress, TableMove

NAME = "move"
SUMMARY = "move the tables of a design to another store, while programs write"
EPILOG = """\
examples:
  tablewright move shop.design:design --from http://127.0.0.1:8000 --to aws:eu-north-1 --env main
  tablewright move shop.design:design --from app.db --to http://127.0.0.1:8000 --once
  tablewright move shop.design:design --from app.db --to aws:eu-north-1 --switch-to target
"""
POLL = 0.5
"""Seconds between two reads of the streams."""
LISTED = 5
"""The most differences that are printed."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `move`."""
    design_argument(parser)
    for option, meaning in (("--from", "location of the tables"), ("--to", "location to move the tables to")):
        parser.add_argument(
            option,
            metavar="LOCATION",
            dest="source" if option == "--from" else "target",
            type=location_type("move", LASTING, option),
            required=True,
            help=f"{meaning}: FILE, http://HOST:PORT or aws:REGION",
        )
    table_name_arguments(parser)
    limit = parser.add_mutually_exclusive_group()
    rate_argument(limit)
    limit.add_argument(
        "--share",
        metavar="PERCENT",
        type=_share,
        help="maximum share of the capacity of the tables, such as 50 (default: no limit)",
    )
    parser.add_argument(
        "--segments",
        metavar="N",
        type=_segments,
        default=4,
        help="parts of each table that are copied at the same time (default: 4)",
    )
    parser.add_argument(
        "--restart", action="store_true", help="delete what was copied, and copy everything again"
    )
    parser.add_argument(
        "--repair",
        action="store_true",
        help="write items that differ from the side that programs use to the other side",
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--once", action="store_true", help="stop after both sides were compared")
    mode.add_argument(
        "--switch-to",
        choices=("target", "source"),
        help="let programs use this side; stop the programs that write before",
    )
    json_argument(parser, "the result")


def run(options: argparse.Namespace) -> int:
    """Move tables; the exit code is 1 if both sides differ."""
    from tablewright.access.connect import open_location
    from tablewright.access.context import Context
    from tablewright.lifecycle.move.move_run import TableMove
    from tablewright.lifecycle.move.sides import MoveSide

    design = load_named_design(options)
    require_data_file(options.source, "--from")
    _require_two_files(options.source, options.target)
    if options.switch_to:
        require_data_file(options.target, "--to")
    with ExitStack() as stack:
        source = stack.enter_context(closing(open_location(options.source)))
        # Opening a target creates its file: not if there is nothing to move.
        MoveSide(
            "source", source, design, Context(time.time, options.env, prefix=options.prefix)
        ).identities()
        target = stack.enter_context(closing(open_location(options.target)))
        with ItemProgress(source, as_json=options.json) as progress:
            move = TableMove(
                design,
                source,
                target,
                environment=options.env,
                prefix=options.prefix,
                segments=options.segments,
                rate=options.rate,
                share=options.share,
                on_progress=lambda done: _show(progress, done),
                on_note=lambda note: print(note, file=sys.stderr),
            )
            try:
                return _run(move, options)
            except KeyboardInterrupt:
                print_line("Stopped; run the command again to continue.")
                return 130
            finally:
                move.release()


def _require_two_files(source: str, target: str) -> None:
    if os.path.exists(source) and os.path.exists(target) and os.path.samefile(source, target):
        raise UsageError(
            f"the source and the target are the same file, {target}; give another location with --to"
        )


def _run(move: "TableMove", options: argparse.Namespace) -> int:
    if options.restart:
        move.restart()
    state = move.state
    if options.switch_to and state is not None and state.active == options.switch_to:
        print_line(f"Programs use the {options.switch_to} already; its changes are followed.")
    elif options.switch_to:
        comparison = move.switch(options.switch_to)
        _report(comparison, options, move)
        other = "source" if options.switch_to == "target" else "target"
        print_line(
            green(f"Start your programs at the {options.switch_to} now; its changes go to the {other}.")
        )
    else:
        move.copy()
        move.catch_up()
        comparison = move.compare()
        if options.repair and comparison.differences:
            move.repair(comparison)
            print_line(f"{count(len(comparison.differences), 'item')} repaired.")
            comparison = move.compare()
        _report(comparison, options, move)
        if options.once or comparison.differences:
            return 1 if comparison.differences else 0
        state = move.state
        if state is not None and state.active == "source":
            print_line(
                green("The target is up to date.")
                + " To switch: stop the programs that write, then run this command with --switch-to target."
            )
    while True:
        if move.follow().is_caught_up:
            time.sleep(POLL)


def _report(comparison: "MoveComparison", options: argparse.Namespace, move: "TableMove") -> None:
    from tablewright.access.items.item_values import describe_key

    if options.json:
        print_json(
            {
                "items": comparison.items,
                "changing": comparison.changing,
                "differences": [
                    {
                        "table": move.table_name(difference.table),
                        "key": describe_key(difference.key),
                        "missing_at": difference.missing_at,
                    }
                    for difference in comparison.differences
                ],
            }
        )
        return
    print_line(
        f"{count(comparison.items, 'item')} compared, {count(len(comparison.differences), 'difference')}."
    )
    if comparison.changing:
        print_line(yellow(f"{count(comparison.changing, 'item')} changed too often to be compared."))
    for difference in comparison.differences[:LISTED]:
        problem = f"is missing at the {difference.missing_at}" if difference.missing_at else "differs"
        print_line(red(f"{move.table_name(difference.table)}: {describe_key(difference.key)} {problem}"))
    if comparison.differences:
        print(
            "A program may have written to the side that is not in use. To write these items again: --repair",
            file=sys.stderr,
        )


def _show(progress: ItemProgress, done: "MoveProgress") -> None:
    applied = f"{done.records:,} changes of the {done.active} applied"
    if done.phase == "copying":
        progress.show(done.table, done.items, applied)
    else:
        lag = "" if done.lag is None else f", lag {done.lag:.1f} s"
        progress.note(f"{done.phase}: {applied}{lag}")


def _segments(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f"must be a number from 1 to 100, got {text!r}")
    return int(text)


def _share(text: str) -> float:
    if not text.isdigit() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f"must be a percentage from 1 to 100, got {text!r}")
    return int(text) / 100
