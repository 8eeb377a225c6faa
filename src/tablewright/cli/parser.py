"""The parser of the command line: all commands with their arguments."""

import argparse
import re
import sys
from typing import Any, NoReturn

from tablewright.cli.commands import (
    backup,
    check,
    compact,
    completion,
    console,
    cost,
    deploy,
    drift,
    export,
    fsck,
    generate,
    heat,
    import_,
    init,
    keys,
    migrate,
    move,
    plan,
    restore,
    serve,
    tables,
)

COMMANDS = (
    init,
    serve,
    console,
    check,
    cost,
    heat,
    generate,
    plan,
    deploy,
    drift,
    migrate,
    move,
    fsck,
    tables,
    compact,
    backup,
    restore,
    export,
    import_,
    keys,
    completion,
)

_DESCRIPTION = "Design DynamoDB tables and run them: on this machine, at any DynamoDB endpoint, or on AWS."
_EPILOG = """\
examples:
  tablewright init shop                   write a first design, with tests
  tablewright serve --on memory           start a server that stores data in memory only
  tablewright serve --on app.db           start a server that stores data in a file
  tablewright check app.design:design     check a design for problems
  tablewright COMMAND --help              show the options of a command
"""
_DEBUG_HELP = "print the traceback of an error"


class Parser(argparse.ArgumentParser):
    """Prints an error in one line, and help where no command is given."""

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with code 2."""
        if message.endswith(": COMMAND"):
            self.print_help(sys.stderr)
            self.exit(2)
        self.exit(2, f"{self.prog}: {self._correction(message) or f'{message}; see: {self.prog} --help'}\n")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; an unknown option is an error of its command."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            parser = getattr(options, "command", self)
            parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options

    def _correction(self, message: str) -> str | None:
        """Return a message with what the user may have meant by an unknown word or option; None if nothing is close."""
        from difflib import get_close_matches

        choice = re.match(r"argument \w+: invalid choice: '(.*?)' \(choose from (.*)\)$", message)
        option = re.match(r"unrecognized arguments: (--[\w-]+)", message)
        if choice:
            word, known = choice[1], re.findall(r"[\w-]+", choice[2])
        elif option:
            word, known = option[1], list(self._option_string_actions)
        else:
            return None
        close = get_close_matches(word, known, 1, cutoff=0.7)
        return f"unknown {word!r}; did you mean {close[0]}?" if close else None


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Wraps paragraphs to the width of the terminal, and leaves indented examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n  " in text:
            return super()._fill_text(text, width, indent)
        import textwrap

        paragraphs = text.strip().split("\n\n")
        return "\n\n".join(textwrap.fill(paragraph, width) for paragraph in paragraphs)


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        # Reading the version takes longer than building the parser.
        from importlib.metadata import version

        print(f"tablewright {version('tablewright')}")
        parser.exit()


def build_parser() -> Parser:
    """Return the parser of the whole command line."""
    parser = Parser(
        prog="tablewright",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=_Formatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    parser.add_argument("--debug", action="store_true", help=_DEBUG_HELP)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in COMMANDS:
        command = commands.add_parser(
            module.NAME,
            help=module.SUMMARY,
            description=module.__doc__,
            epilog=getattr(module, "EPILOG", None),
            formatter_class=_Formatter,
        )
        module.arguments(command)
        command.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=_DEBUG_HELP)
        command.set_defaults(run=module.run, parser=parser, command=command)
    return parser
