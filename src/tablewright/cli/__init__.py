"""The command line: the one place where everything meets.

A command is a module with NAME, SUMMARY, `arguments(parser)` and `run(options)`, which answers with the exit code. What
it needs beyond that it imports when it runs, so that `tablewright --help` is quick.
"""

import os
import sys
from collections.abc import Sequence

from tablewright.errors import TablewrightError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the answer is the exit code: 0, or 2 when something has to be done about it first."""
    from tablewright.cli.parser import build_parser

    options = build_parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except TablewrightError as error:
        print(f"tablewright: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python would complain of it once more when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
