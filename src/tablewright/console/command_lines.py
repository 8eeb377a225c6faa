"""Command lines that the page shows: for the design and the store that are open."""

import shlex

from tablewright.console.open_designs import OpenDesign


def command_line(opened: OpenDesign, command: str, *options: str) -> str:
    """Return a command for an open design, with its location, environment and prefix.

    `command` may have several words: `generate samples`.
    """
    context = opened.db.context
    given = ["tablewright", *command.split(), opened.source, "--on", opened.location]
    given += ["--env", context.environment] if context.environment else []
    given += ["--prefix", context.prefix] if context.prefix else []
    return shlex.join([*given, *options])
