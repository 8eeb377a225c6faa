"""The command line: where everything meets."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the answer is the exit code."""
    from tablewright.cli.commands import run

    return run(sys.argv[1:] if arguments is None else arguments)
