"""The commands and their arguments, as one parser."""

import argparse
from typing import Any

from tablewright.cli.commands import (
    backup,
    check,
    completion,
    cost,
    deploy,
    drift,
    export,
    fsck,
    generate,
    heat,
    import_,
    keys,
    migrate,
    plan,
    restore,
    serve,
    tables,
    token,
    up,
    verify,
)

COMMANDS = (
    serve,
    up,
    token,
    verify,
    check,
    cost,
    heat,
    generate,
    plan,
    deploy,
    drift,
    migrate,
    fsck,
    tables,
    backup,
    restore,
    export,
    import_,
    keys,
    completion,
)

_DESCRIPTION = "A DynamoDB that runs on this machine, as strict as AWS."
_EPILOG = """\
start here:
  tablewright serve --memory          a server that forgets when it stops
  tablewright serve --data app.db     a server that keeps everything in one file
  tablewright serve --help            all its options, and how clients connect to it
"""


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        # Looking the version up takes longer than all the rest of the parser.
        from importlib.metadata import version

        print(f"tablewright {version('tablewright')}")
        parser.exit()


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="tablewright",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in COMMANDS:
        command = commands.add_parser(
            module.NAME,
            help=module.SUMMARY,
            description=module.__doc__,
            epilog=getattr(module, "EPILOG", None),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.arguments(command)
        command.set_defaults(run=module.run, whole=parser)
    return parser
