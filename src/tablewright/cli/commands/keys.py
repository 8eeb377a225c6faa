"""Make a file of master keys, which seal the secret fields of a design.

`new` makes a file that only its owner can read, with one key in it. A file that is there is never overwritten.
"""

import argparse

from tablewright.cli.output import say

NAME = "keys"
SUMMARY = "make a file of master keys"
EPILOG = """\
examples:
  tablewright keys new master.json

then, in Python:
  connect(design, "app.db", secrets=keyrings.KeyFile("master.json"))
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `keys` understands."""
    parser.add_argument("action", choices=("new",), help="make the file")
    parser.add_argument(
        "file", metavar="FILE", help="where to keep the keys; back it up, apart from the data"
    )


def run(options: argparse.Namespace) -> int:
    """Make the file."""
    # Loading a cryptographic library takes a while.
    from tablewright.access.encryption.keyrings import KeyFile

    made = KeyFile.create(options.file)
    say(
        f"{made.path} holds a new master key; back it up, apart from the data: without it all secrets are lost"
    )
    return 0
