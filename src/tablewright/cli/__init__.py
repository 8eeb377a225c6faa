"""The command line: one module for each command, in `commands`.

A command is a module with NAME, SUMMARY, `arguments(parser)` and `run(options)`, which returns the exit code. Its
docstring is the description that `--help` prints. It imports what it needs when it runs, so that `--help` is quick.
"""

import argparse
import os
import sys
from collections.abc import Sequence

from tablewright.errors import TablewrightError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code: 0 for success, 2 for an error that the user can correct."""
    from tablewright.cli.error_report import error_message, is_debugging, print_traceback, report_crash
    from tablewright.cli.parser import build_parser

    words = sys.argv[1:] if arguments is None else list(arguments)
    options = argparse.Namespace()
    try:
        options = build_parser().parse_args(words)
        return int(options.run(options))
    except TablewrightError as error:
        if is_debugging(words):
            print_traceback(error)
        print(f"tablewright: {error_message(error, getattr(options, 'on', None))}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output has closed it; without this, Python prints an error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return report_crash(error, words)
