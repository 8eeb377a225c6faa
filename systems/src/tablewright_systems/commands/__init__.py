"""The command `tablewright-systems`: one module for each of its commands.

A command is a module with NAME, SUMMARY, `arguments(parser)` and `run(options)`, which returns the exit code. Its
docstring is the description that `--help` prints.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

from tablewright import errors
from tablewright_systems.commands import jobs, token, up, verify

COMMANDS = (up, jobs, token, verify)
PROGRAM = "tablewright-systems"
INTERNAL_ERROR = 70
"""EX_SOFTWARE of sysexits.h."""
_EPILOG = f"""\
examples:
  {PROGRAM} up                  start the five systems on tablewright.db, with sample data
  {PROGRAM} token boards        create a token for an API
  {PROGRAM} verify              run and check every access pattern and flow
  {PROGRAM} COMMAND --help      show the options of a command
"""


class Parser(argparse.ArgumentParser):
    """Prints an error in one line, and help where no command is given."""

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with code 2."""
        if message.endswith(": COMMAND"):
            self.print_help(sys.stderr)
            self.exit(2)
        self.exit(2, f"{self.prog}: {message}; see: {self.prog} --help\n")


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"{PROGRAM} {version(PROGRAM)}")
        parser.exit()


def build_parser() -> Parser:
    """Return the parser of all commands."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = Parser(
        prog=PROGRAM, description="Five systems on DynamoDB.", epilog=_EPILOG, formatter_class=layout
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in COMMANDS:
        command = commands.add_parser(
            module.NAME,
            help=module.SUMMARY,
            description=module.__doc__,
            epilog=module.EPILOG,
            formatter_class=layout,
        )
        module.arguments(command)
        command.add_argument("--debug", action="store_true", help="print the traceback of an error")
        command.set_defaults(run=module.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code: 0 for success, 2 for an error that the user can correct."""
    options = argparse.Namespace(debug=os.environ.get("TABLEWRIGHT_DEBUG", "0") not in ("", "0"))
    try:
        build_parser().parse_args(arguments, options)
        return int(options.run(options))
    except errors.TablewrightError as error:
        return _report(options, error, str(error), 2)
    except BrokenPipeError:
        # The reader of our output has closed it; without this, Python prints an error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        what = f"internal error: {type(error).__name__}: {error}; --debug prints the traceback"
        return _report(options, error, what, INTERNAL_ERROR)


def _report(options: argparse.Namespace, error: Exception, message: str, code: int) -> int:
    if options.debug:
        traceback.print_exception(error)
    print(f"{PROGRAM}: {message}", file=sys.stderr)
    return code
