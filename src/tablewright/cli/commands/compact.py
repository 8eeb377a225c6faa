"""Give the free space of a data file back to the file system.

Deleted items leave free space in the data file, which later writes use. The file itself shrinks when it is compacted.
This command needs a file that no other process has open. A running server compacts its file itself, while it serves its
clients, when at least 16 MB and a quarter of the file are free. Interrupting the command loses nothing: the next run
continues.
"""

import argparse

from tablewright.cli.arguments import json_argument, location_argument
from tablewright.cli.data_locations import open_tables
from tablewright.cli.output import format_bytes, print_json, print_line
from tablewright.cli.progress import Progress

NAME = "compact"
SUMMARY = "give free space of a data file back to the file system"
EPILOG = """\
examples:
  tablewright compact --on app.db
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `compact`."""
    location_argument(parser, ("file",))
    json_argument(parser, "the sizes")


def run(options: argparse.Namespace) -> int:
    """Compact, and print the size before and after."""
    from tablewright.connections import Embedded

    db = open_tables(options.on)
    assert isinstance(db, Embedded)
    try:
        before = db.free_space()
        with Progress(before.free_bytes, "bytes") as progress:
            released = db.compact(lambda done, total: progress.reach(done))
        after = db.free_space()
    finally:
        db.close()
    if options.json:
        print_json({"before": before._asdict(), "after": after._asdict(), "released_bytes": released})
    else:
        print_line(
            f"{options.on}: released {format_bytes(released)}, {format_bytes(after.file_bytes)} remain"
            if released
            else f"{options.on}: no free space to release in {format_bytes(after.file_bytes)}"
        )
    return 0
