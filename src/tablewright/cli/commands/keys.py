"""Create a file with a master key, which encrypts the secret fields of a design.

Only the owner can read the file. An existing file is never overwritten.
"""

import argparse

from tablewright.cli.output import print_line

NAME = "keys"
SUMMARY = "create a master key file"
EPILOG = """\
examples:
  tablewright keys new master.json

then, in Python:
  connect(design, "app.db", secrets=keyrings.KeyFile("master.json"))
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `keys`."""
    parser.add_argument("action", choices=("new",), help="create the file")
    parser.add_argument(
        "file", metavar="FILE", help="path of the new key file; back it up, apart from the data"
    )


def run(options: argparse.Namespace) -> int:
    """Create the file."""
    # Importing a cryptographic library takes a while.
    from tablewright.access.encryption.keyrings import KeyFile

    keys = KeyFile.create(options.file)
    print_line(
        f"Created {keys.path} with a new master key. Back it up, apart from the data: without it all secrets are lost."
    )
    return 0
